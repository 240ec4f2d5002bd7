// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
        packages = "io.verbus.rdma.verbs",
        importOptions = ImportOption.DoNotIncludeTests.class)
class DependencyRulesTest {
    @ArchTest
    static final ArchRule verbsKnowNothingOfLogs =
            classes()
                    .that()
                    .resideInAPackage("io.verbus.rdma.verbs")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "java..",
                            "org.agrona..",
                            "io.verbus.rdma.calls",
                            "io.verbus.rdma.fabric",
                            "io.verbus.rdma.verbs")
                    .because("the bindings serve any protocol: pass what they need as arguments");
}
