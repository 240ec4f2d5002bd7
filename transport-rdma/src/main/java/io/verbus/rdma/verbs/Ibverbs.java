// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

/**
 * The functions of {@code libibverbs.so.1} that are used for set-up. Pointers are raw addresses;
 * results are as in C.
 */
final class Ibverbs {
    static final String NAME = "libibverbs.so.1";

    private final NativeFunction getDeviceList;
    private final NativeFunction freeDeviceList;
    private final NativeFunction openDevice;
    private final NativeFunction closeDevice;
    private final NativeFunction queryDevice;
    private final NativeFunction queryPort;
    private final NativeFunction allocPd;
    private final NativeFunction deallocPd;
    private final NativeFunction regMr;
    private final NativeFunction deregMr;
    private final NativeFunction createCq;
    private final NativeFunction destroyCq;
    private final NativeFunction queryQp;
    private final NativeFunction modifyQp;

    /** Null if rdma-core is older than 36. */
    private final NativeFunction queryQpDataInOrder;

    private final NativeFunction wcStatusStr;
    private final NativeFunction getAsyncEvent;
    private final NativeFunction ackAsyncEvent;
    private final NativeFunction eventTypeStr;

    Ibverbs(SharedLibrary library) {
        getDeviceList = library.function("ibv_get_device_list");
        freeDeviceList = library.function("ibv_free_device_list");
        openDevice = library.function("ibv_open_device");
        closeDevice = library.function("ibv_close_device");
        queryDevice = library.function("ibv_query_device");
        queryPort = library.function("ibv_query_port");
        allocPd = library.function("ibv_alloc_pd");
        deallocPd = library.function("ibv_dealloc_pd");
        regMr = library.function("ibv_reg_mr");
        deregMr = library.function("ibv_dereg_mr");
        createCq = library.function("ibv_create_cq");
        destroyCq = library.function("ibv_destroy_cq");
        queryQp = library.function("ibv_query_qp");
        modifyQp = library.function("ibv_modify_qp");
        queryQpDataInOrder = library.functionOrNull("ibv_query_qp_data_in_order");
        wcStatusStr = library.function("ibv_wc_status_str");
        getAsyncEvent = library.function("ibv_get_async_event");
        ackAsyncEvent = library.function("ibv_ack_async_event");
        eventTypeStr = library.function("ibv_event_type_str");
    }

    /** Loads the library. */
    static Ibverbs open() {
        return new Ibverbs(SharedLibrary.open(NAME));
    }

    /**
     * @return a zero-terminated array of device addresses, or 0.
     * @see <a href="https://man7.org/linux/man-pages/man3/ibv_get_device_list.3.html">man page</a>
     */
    long getDeviceList() {
        return getDeviceList.call(0);
    }

    void freeDeviceList(long list) {
        freeDeviceList.call(list);
    }

    /**
     * @return the context, or 0.
     * @see <a href="https://man7.org/linux/man-pages/man3/ibv_open_device.3.html">man page</a>
     */
    long openDevice(long device) {
        return openDevice.call(device);
    }

    int closeDevice(long context) {
        return (int) closeDevice.call(context);
    }

    /**
     * @return 0 or an errno.
     * @see <a href="https://man7.org/linux/man-pages/man3/ibv_query_device.3.html">man page</a>
     */
    int queryDevice(long context, long attributes) {
        return (int) queryDevice.call(context, attributes);
    }

    /**
     * @return 0 or an errno.
     * @see <a href="https://man7.org/linux/man-pages/man3/ibv_query_port.3.html">man page</a>
     */
    int queryPort(long context, int port, long attributes) {
        return (int) queryPort.call(context, port, attributes);
    }

    /**
     * @return the domain, or 0.
     * @see <a href="https://man7.org/linux/man-pages/man3/ibv_alloc_pd.3.html">man page</a>
     */
    long allocPd(long context) {
        return allocPd.call(context);
    }

    /** Returns 0 or an errno. */
    int deallocPd(long pd) {
        return (int) deallocPd.call(pd);
    }

    /**
     * @return the region, or 0.
     * @see <a href="https://man7.org/linux/man-pages/man3/ibv_reg_mr.3.html">man page</a>
     */
    long regMr(long pd, long address, long length, int access) {
        return regMr.call(pd, address, length, access);
    }

    /** Returns 0 or an errno. */
    int deregMr(long mr) {
        return (int) deregMr.call(mr);
    }

    /**
     * @return the completion queue, or 0.
     * @see <a href="https://man7.org/linux/man-pages/man3/ibv_create_cq.3.html">man page</a>
     */
    long createCq(long context, int entries) {
        return createCq.call(context, entries, 0, 0, 0);
    }

    /** Returns 0 or an errno. */
    int destroyCq(long cq) {
        return (int) destroyCq.call(cq);
    }

    /**
     * @param qp address of the queue pair.
     * @param attributes address of the {@code struct ibv_qp_attr} to fill.
     * @param mask mask of the requested attributes.
     * @param initAttributes address of the {@code struct ibv_qp_init_attr} to fill.
     * @return 0 or an errno.
     * @see <a href="https://man7.org/linux/man-pages/man3/ibv_query_qp.3.html">man page</a>
     */
    int queryQp(long qp, long attributes, int mask, long initAttributes) {
        return (int) queryQp.call(qp, attributes, mask, initAttributes);
    }

    /**
     * @param attributes address of a {@code struct ibv_qp_attr}.
     * @param mask mask of the attributes to change.
     * @return 0 or an errno.
     * @see <a href="https://man7.org/linux/man-pages/man3/ibv_modify_qp.3.html">man page</a>
     */
    int modifyQp(long qp, long attributes, int mask) {
        return (int) modifyQp.call(qp, attributes, mask);
    }

    /**
     * Returns whether the data of an operation is written in order. The call is defined for the
     * bytes of a single write. On mlx5, however, it reports whether the firmware places everything
     * that the queue pair receives in order, which also covers the order of separate writes.
     *
     * @param operation operation code, such as {@code IBV_WR_RDMA_WRITE}.
     * @return true if the data is written in order; false if it is not, or if the library or the
     *     device does not report the order.
     * @see <a href="https://man7.org/linux/man-pages/man3/ibv_query_qp_data_in_order.3.html">man
     *     page</a>
     */
    boolean isDataInOrder(long qp, int operation) {
        return queryQpDataInOrder != null && (int) queryQpDataInOrder.call(qp, operation, 0) == 1;
    }

    /** Returns the description of a work completion's status. */
    String statusText(int status) {
        return Memory.getString(wcStatusStr.call(status));
    }

    /**
     * Reads an asynchronous event, without blocking if the context's descriptor is non-blocking.
     *
     * @return 0, or -1 with errno.
     * @see <a href="https://man7.org/linux/man-pages/man3/ibv_get_async_event.3.html">man page</a>
     */
    int getAsyncEvent(long context, long event) {
        return (int) getAsyncEvent.call(context, event);
    }

    void ackAsyncEvent(long event) {
        ackAsyncEvent.call(event);
    }

    /** Returns the description of an asynchronous event's type. */
    String eventText(int type) {
        return Memory.getString(eventTypeStr.call(type));
    }
}
