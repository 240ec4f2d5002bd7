# SPDX-License-Identifier: Apache-2.0
#
# The rules of tools/prose, and where it looks. A block is a comment, a message or a paragraph; its lines
# are joined, so that a phrase is found across their ends.

# rule KINDS, NAME, PATTERN, REMEDY: KINDS are c (comments), s (strings of main sources) and m (Markdown),
# or M (Markdown, case-sensitive). A pattern is in lower case, and includes a character before and after.
function rule(kinds, name, pattern, remedy) {
    rules++
    kinds_of[rules] = kinds
    name_of[rules] = name
    pattern_of[rules] = pattern
    remedy_of[rules] = remedy
}

function load_exceptions(  line, parts) {
    while ((getline line <exceptions) > 0) {
        if (line !~ /^ *(#|$)/) {
            split(line, parts, " ")
            excepted++
            path_of[excepted] = parts[1]
            excepts[excepted] = parts[2]
        }
    }
}

BEGIN {
    rule("c", "param", \
        "[^a-z]@param <?[a-z0-9_]+>? (of|that|in|whose|who|which|where|((to|for|from|at|in|on|by|with|of|into) which)) ", \
        "make it a noun phrase that stands alone")
    who_remedy = "say \"that\", \"it\", or name the thread, peer or object"
    rule("cs", "who", "[^a-z](who|whom|whoever)[^a-z]", who_remedy)
    rule("M", "who", "[^A-Za-z](who|whom|whoever)[^A-Za-z]", who_remedy) # a question to people begins with Who
    rule("csm", "nobody", "[^a-z](nobody|somebody|everybody|anybody)[^a-z]", \
        "say \"no\", \"any\" or \"every\" and the thread, peer or object")
    rule("csm", "told", "[^a-z](is|are|was|were|be|been|being) (not |never |then |only |also |once )?told[^a-z]", \
        "say who reports: \"reports\", \"notifies\", \"sends\"; or \"learns\", \"receives\"")
    rule("csm", "let-go", "[^a-z]let(s|ting)? ([a-z]+ )?go[^a-z]", "say \"releases\", \"detaches\" or \"closes\"")
    rule("csm", "goes-by", "[^a-z](go|goes|went|going) by[^a-z]", \
        "say \"uses\", \"runs over\", \"follows\" or \"depends on\"")
    rule("csm", "anew", "[^a-z]anew[^a-z]", "say \"again\", \"rebuilds\", \"restarts\" or \"a new\"")
    first_line = "^ (Of|Whose|Where|What|Who|That|Whether nobody) "
    first_line_remedy = "begin with a verb, or with the noun that it is"
    # Names that are no identifiers.
    split("InfiniBand ConnectX BlueField OpenMetrics JavaScript GitHub ConfigMap StatefulSet SplitMix64", allowed, " ")
    for (i in allowed) {
        code[allowed[i]] = 1
    }
    load_exceptions()
    long = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
}

function is_excepted(file, name,  i) {
    for (i = 1; i <= excepted; i++) {
        if (index(file, path_of[i]) == 1 && (excepts[i] == name || excepts[i] == "*")) {
            used[i] = 1
            return 1
        }
    }
    return 0
}

function module(file) {
    return file ~ /\.md$/ ? "pages" : substr(file, 1, index(file, "/") - 1) (file ~ /\/src\/test\// ? " tests" : "")
}

function found(file, line, name, phrase, remedy,  is_passed) {
    counts[module(file) ", " name]++
    is_passed = is_excepted(file, name)
    if (!is_passed && !count) {
        gsub(/^[^A-Za-z@]+|[^A-Za-z0-9]+$/, "", phrase)
        printf "%s:%d: [%s] %s: %s\n", file, line, name, phrase, remedy >"/dev/stderr"
        failed = 1
    }
}

function add(text, number) {
    gsub(/[ \t]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    lines++
    begin_of[lines] = length(block) + 1
    number_of[lines] = number
    block = block text " "
}

# line_at OFFSET: the line of the block's character there.
function line_at(offset,  i) {
    for (i = lines; i > 1 && begin_of[i] > offset; i--) {
    }
    return number_of[i]
}

# without TEXT, PATTERN: the same length, what matches replaced.
function without(text, pattern,  out, length_of) {
    out = ""
    while (match(text, pattern)) {
        length_of = RLENGTH
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + length_of)
        while (length_of > 100) {
            out = out long
            length_of -= 100
        }
        out = out substr(long, 1, length_of)
    }
    return out text
}

# check KIND: the block, and begins the next one. KIND is j for Javadoc, else as in rule.
function check(kind,  text, lower, i, rest, whole, offset, at, wide) {
    if (!lines) {
        return
    }
    text = " " block
    if (kind != "s" || gsub(/ /, " ", block) > 3) {
        if (kind == "m") {
            text = without(text, "`[^`]*`")
        } else if (kind != "s") {
            text = without(text, "\\{@[a-zA-Z]+ [^}]*\\}")
        }
        if (kind == "j" && match(text, first_line)) {
            found(current, number_of[1], "first-line", substr(text, 1, 40) "...", first_line_remedy)
        }
        if (kind == "j" || kind == "c") {
            names(text)
        }
        lower = tolower(text)
        for (i = 1; i <= rules; i++) {
            if (kinds_of[i] == "M" && kind == "m") {
                rest = text
            } else if (index(kinds_of[i], kind == "j" ? "c" : kind)) {
                rest = lower
            } else {
                continue
            }
            whole = rest
            offset = 0
            while (match(rest, pattern_of[i])) {
                at = offset + RSTART
                wide = RLENGTH
                if (name_of[i] != "who" || at < 7 || substr(lower, at - 6, 6) != "anyone") {
                    found(current, line_at(at), name_of[i], substr(text, at, wide), remedy_of[i])
                }
                offset += RSTART + wide - 2
                rest = substr(whole, offset + 1)
            }
        }
    }
    block = ""
    lines = 0
}

# names TEXT: those in a comment that look like identifiers, to be compared with the code at the end.
function names(text,  offset, rest, at, wide, name) {
    rest = text
    offset = 0
    while (match(rest, /[^A-Za-z0-9_.#@"\/-]([a-z][a-z]+[A-Z][a-z][A-Za-z0-9]*|[A-Z][a-z]+[A-Z][a-z]+[A-Za-z0-9]*)[^A-Za-z0-9_(\/"-]/)) {
        at = offset + RSTART
        wide = RLENGTH
        name = substr(text, at + 1, wide - 2)
        suspects++
        suspect[suspects] = name
        suspect_file[suspects] = current
        suspect_line[suspects] = line_at(at)
        offset += RSTART + wide - 2
        rest = substr(text, offset + 1)
    }
}

function flush() {
    if (lines) {
        check(open)
    }
    open = ""
}

function code_of(text,  words, i, n) {
    n = split(text, words, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= n; i++) {
        code[words[i]] = 1
    }
}

FNR == 1 {
    flush()
    current = FILENAME
    is_java = FILENAME ~ /\.java$/
    is_main = FILENAME !~ /\/src\/test\//
    in_comment = in_text = in_pre = in_fence = in_list = 0
}

{
    sub(/\r$/, "")
}

is_java && in_text {
    code_of($0)
    in_text = !index($0, "\"\"\"")
    next
}

is_java && in_comment {
    comment($0)
    next
}

# comment TEXT: a line of a comment between /* and */.
function comment(text,  end) {
    end = index(text, "*/")
    if (end) {
        text = substr(text, 1, end - 1)
    }
    sub(/^ *\*+ ?/, "", text)
    in_pre = (in_pre || index(text, "<pre>")) && !index(text, "</pre>")
    if (!in_pre) {
        add(text, FNR)
    }
    if (end) {
        flush()
        in_comment = 0
    }
}

is_java {
    text = $0
    if (index(text, "\"\"\"")) {
        flush()
        code_of(text)
        in_text = 1
        next
    }
    gsub(/'(\\.|[^'\\])'/, "' '", text)
    masked = without(text, "\"([^\"\\\\]|\\\\.)*\"")
    line_comment = index(masked, "//")
    block_comment = index(masked, "/*")
    begin = !line_comment || (block_comment && block_comment < line_comment) ? block_comment : line_comment
    front = begin ? substr(text, 1, begin - 1) : text
    code_of(front)
    has_code = front ~ /[^ \t]/
    strings = ""
    rest = front
    while (match(rest, /"([^"\\]|\\.)*"/)) {
        strings = strings substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
    }
    is_continued = open == "s" && front ~ /^ *\+ "/
    if (!is_continued && !(open == "c" && begin == line_comment && begin && !has_code)) {
        flush()
    }
    if (strings != "" && is_main) {
        open = "s"
        add_raw(strings, FNR)
    }
    if (begin && begin == line_comment) {
        if (has_code) {
            flush()
        }
        open = "c"
        add(substr($0, begin + 2), FNR)
        if (has_code) {
            flush()
        }
    } else if (begin) {
        flush()
        open = substr(text, begin, 3) == "/**" ? "j" : "c"
        in_comment = 1
        comment(substr($0, begin + (open == "j" ? 3 : 2)))
    }
    next
}

# add_raw TEXT, NUMBER: of a string, whose parts have their spaces.
function add_raw(text, number) {
    lines++
    begin_of[lines] = length(block) + 1
    number_of[lines] = number
    block = block text
}

# Markdown from here on.

/^ *```/ {
    flush()
    in_fence = !in_fence
    next
}

in_fence {
    next
}

/^ *$/ {
    flush()
    next
}

/^ *([-*]|[0-9]+\.) / {
    flush()
    in_list = 1
}

/^[^ ]/ && !/^([-*]|[0-9]+\.) / && open == "" {
    in_list = 0
}

/^    / && !in_list && open == "" {
    next
}

/^(#|\|)/ {
    flush()
    open = "m"
    add($0, FNR)
    flush()
    next
}

{
    open = "m"
    add($0, FNR)
}

END {
    flush()
    for (i = 1; i <= suspects; i++) {
        name = suspect[i]
        sub(/s$/, "", name)
        if (!(suspect[i] in code) && !(name in code)) {
            found(suspect_file[i], suspect_line[i], "identifier", suspect[i], \
                "no code has this name: write the words, or {@code} and the name of today")
        }
    }
    if (count) {
        for (i in counts) {
            printf "%6d  %s\n", counts[i], i | "sort -k 2"
            all += counts[i]
        }
        close("sort -k 2")
        printf "%6d  in all\n", all
        for (i = 1; i <= excepted; i++) {
            if (!used[i]) {
                printf "no longer needed: %s %s\n", path_of[i], excepts[i]
            }
        }
    }
    exit failed
}
