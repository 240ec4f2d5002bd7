// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

/**
 * The functions of {@code librdmacm.so.1}. Pointers are raw addresses; results are 0, or -1 with
 * errno.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/rdma_cm.7.html">rdma_cm(7)</a>
 */
final class Rdmacm {
    private static final String NAME = "librdmacm.so.1";

    private final NativeFunction createEventChannel;
    private final NativeFunction destroyEventChannel;
    private final NativeFunction createId;
    private final NativeFunction destroyId;
    private final NativeFunction bindAddr;
    private final NativeFunction listen;
    private final NativeFunction resolveAddr;
    private final NativeFunction resolveRoute;
    private final NativeFunction setOption;
    private final NativeFunction createQp;
    private final NativeFunction destroyQp;
    private final NativeFunction connect;
    private final NativeFunction accept;
    private final NativeFunction reject;
    private final NativeFunction disconnect;
    private final NativeFunction notify;
    private final NativeFunction getCmEvent;
    private final NativeFunction ackCmEvent;

    private Rdmacm(SharedLibrary library) {
        createEventChannel = library.function("rdma_create_event_channel");
        destroyEventChannel = library.function("rdma_destroy_event_channel");
        createId = library.function("rdma_create_id");
        destroyId = library.function("rdma_destroy_id");
        bindAddr = library.function("rdma_bind_addr");
        listen = library.function("rdma_listen");
        resolveAddr = library.function("rdma_resolve_addr");
        resolveRoute = library.function("rdma_resolve_route");
        setOption = library.function("rdma_set_option");
        createQp = library.function("rdma_create_qp");
        destroyQp = library.function("rdma_destroy_qp");
        connect = library.function("rdma_connect");
        accept = library.function("rdma_accept");
        reject = library.function("rdma_reject");
        disconnect = library.function("rdma_disconnect");
        notify = library.function("rdma_notify");
        getCmEvent = library.function("rdma_get_cm_event");
        ackCmEvent = library.function("rdma_ack_cm_event");
    }

    /** Loads the library. */
    static Rdmacm open() {
        return new Rdmacm(SharedLibrary.open(NAME));
    }

    /** Returns the channel, or 0 with errno. */
    long createEventChannel() {
        return createEventChannel.call(0);
    }

    void destroyEventChannel(long channel) {
        destroyEventChannel.call(channel);
    }

    /** Writes the address of the new id to {@code id}. */
    int createId(long channel, long id, int portSpace) {
        return (int) createId.call(channel, id, 0, portSpace);
    }

    /** Blocks until every event of the id has been acknowledged. */
    int destroyId(long id) {
        return (int) destroyId.call(id);
    }

    int bindAddr(long id, long address) {
        return (int) bindAddr.call(id, address);
    }

    int listen(long id, int backlog) {
        return (int) listen.call(id, backlog);
    }

    int resolveAddr(long id, long source, long destination, int timeoutMs) {
        return (int) resolveAddr.call(id, source, destination, timeoutMs);
    }

    int resolveRoute(long id, int timeoutMs) {
        return (int) resolveRoute.call(id, timeoutMs);
    }

    int setOption(long id, int level, int name, long value, int length) {
        return (int) setOption.call(id, level, name, value, length);
    }

    int createQp(long id, long pd, long attributes) {
        return (int) createQp.call(id, pd, attributes);
    }

    void destroyQp(long id) {
        destroyQp.call(id);
    }

    int connect(long id, long parameters) {
        return (int) connect.call(id, parameters);
    }

    int accept(long id, long parameters) {
        return (int) accept.call(id, parameters);
    }

    int reject(long id, long privateData, int length) {
        return (int) reject.call(id, privateData, length);
    }

    int disconnect(long id) {
        return (int) disconnect.call(id);
    }

    int notify(long id, int event) {
        return (int) notify.call(id, event);
    }

    /** Writes the address of the event to {@code event}. */
    int getCmEvent(long channel, long event) {
        return (int) getCmEvent.call(channel, event);
    }

    int ackCmEvent(long event) {
        return (int) ackCmEvent.call(event);
    }
}
