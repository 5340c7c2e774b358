/* StreamFusion's C ABI, written by bin/bindgen from native/crates/ffi. Do not edit. */

#pragma once

#include <stdint.h>

// Done.
#define SF_OK 0

// No such row.
#define SF_ABSENT -1

// Call `sf_store_reserve`, then repeat the call.
#define SF_NEEDS_RESERVE -2

// The output does not fit; the needed capacity is in its first eight bytes.
#define SF_TOO_SMALL -3

// The caller asked for something that cannot be.
#define SF_ERR_USER -10

// The environment failed.
#define SF_ERR_EXTERNAL -11

// A fault of the library; the store is poisoned.
#define SF_ERR_INTERNAL -12

// The memory budget is used up.
#define SF_ERR_MEMORY -13

// The handle is null.
#define SF_ERR_CLOSED -14

// Bytes that were read back are not what was written.
#define SF_ERR_CORRUPT -15

// A plan asks for what has no native form; the text is the reason.
#define SF_ERR_UNSUPPORTED -16

// A batch, charged as long as someone holds it. It never changes; any thread may have it.
typedef struct SfBatch SfBatch;

// A slot's budget; stores keep their own reference.
typedef struct SfBudget SfBudget;

// The bytes of one batch.
typedef struct SfFrame SfFrame;

// Loads key groups into a store; one per thread.
typedef struct SfLoader SfLoader;

// An operator of one task. Used by its thread only.
typedef struct SfOperator SfOperator;

// A reader of one task. Used by one thread at a time.
typedef struct SfReader SfReader;

// Records of bytes, one behind another, and where they end. Java writes into it.
typedef struct SfSlab SfSlab;

// A store as it was at one moment. Used by one thread at a time, any thread.
typedef struct SfSnapshot SfSnapshot;

// Splits the batches of one output of a task. Used by its thread only.
typedef struct SfSplitter SfSplitter;

// A keyed store and what is known of its checkpoints. Used by the task thread only.
typedef struct SfStore SfStore;

// A writer of one task. Used by one thread at a time.
typedef struct SfWriter SfWriter;

// Makes a budget; null when the limit is negative.
SfBudget *sf_budget_new(int64_t limit_bytes);

// Changes the limit; what is in use stays. Any thread.
int32_t sf_budget_set_limit(SfBudget *budget, int64_t limit_bytes);

// Bytes in use; 0 for null. Any thread.
int64_t sf_budget_used(SfBudget *budget);

// Bytes that may be used; 0 for null. Any thread.
int64_t sf_budget_limit(SfBudget *budget);

// Drops this reference; stores keep theirs.
int32_t sf_budget_free(SfBudget *budget);

// Reads the footer from the last `tail_len` bytes of a file of `file_len` bytes. Out:
// `[i64 segment][i32 version][i32 n]`, per key group
// `[i32 key group][i32 kind][i64 offset][i64 length][i64 rows]`; returns bytes written, or "too small". 0: the
// tail is too short, its needed length is in the first eight bytes. `name` is for error texts.
int32_t sf_segment_index(const uint8_t *tail,
                         int32_t tail_len,
                         int64_t file_len,
                         const uint8_t *name,
                         int32_t name_len,
                         uint8_t *out,
                         int32_t cap);

// Makes a loader. `id_map[number in the file]` is the state's number in this store, -1 when it has none. Until
// all loaders are freed the store is used through them only, each on key groups of its own. Null on error.
SfLoader *sf_loader_new(SfStore *store,
                        const int32_t *id_map,
                        int32_t n);

// Begins a key group's section of the file `name`. Sections of a key group come oldest first, beginning with the
// last whole one.
int32_t sf_loader_section(SfLoader *loader,
                          int32_t key_group,
                          int64_t offset,
                          int64_t length,
                          const uint8_t *name,
                          int32_t name_len);

// The next bytes of the section, any number.
int32_t sf_loader_feed(SfLoader *loader, const uint8_t *bytes, int32_t len);

// Ends the section; fails when bytes are missing.
int32_t sf_loader_end(SfLoader *loader);

// Frees a loader.
int32_t sf_loader_free(SfLoader *loader);

// After all loaders are freed: puts timers in order. The store is usable afterwards.
int32_t sf_restore_finish(SfStore *store);

// After `sf_restore_finish`: later incremental checkpoints build on the restored one. `desc` is what
// `sf_snapshot_describe` wrote, from the number of segments on.
int32_t sf_restore_chain(SfStore *store,
                         const uint8_t *desc,
                         int32_t len);

// Critical: length of the value, which is copied if it fits in `cap`; or "absent", or "needs reserve".
int32_t sf_value_get(SfStore *store,
                     int32_t state,
                     int32_t key_group,
                     const uint8_t *key,
                     int32_t key_len,
                     uint8_t *out,
                     int32_t cap);

// Critical: inserts or replaces. 0, or "needs reserve".
int32_t sf_value_put(SfStore *store,
                     int32_t state,
                     int32_t key_group,
                     const uint8_t *key,
                     int32_t key_len,
                     const uint8_t *value,
                     int32_t value_len);

// Critical: 1 removed, 0 there was none, or "needs reserve".
int32_t sf_value_remove(SfStore *store,
                        int32_t state,
                        int32_t key_group,
                        const uint8_t *key,
                        int32_t key_len);

// Critical: an entry's value, as `sf_value_get`.
int32_t sf_map_get(SfStore *store,
                   int32_t state,
                   int32_t key_group,
                   const uint8_t *key,
                   int32_t prefix_len,
                   int32_t key_len,
                   uint8_t *out,
                   int32_t cap);

// Critical: inserts or replaces an entry. 0, or "needs reserve".
int32_t sf_map_put(SfStore *store,
                   int32_t state,
                   int32_t key_group,
                   const uint8_t *key,
                   int32_t prefix_len,
                   int32_t key_len,
                   const uint8_t *value,
                   int32_t value_len);

// Critical: 1 removed, 0 there was none, or "needs reserve".
int32_t sf_map_remove(SfStore *store,
                      int32_t state,
                      int32_t key_group,
                      const uint8_t *key,
                      int32_t prefix_len,
                      int32_t key_len);

// Critical: entries of a map, or "needs reserve".
int32_t sf_map_size(SfStore *store,
                    int32_t state,
                    int32_t key_group,
                    const uint8_t *key,
                    int32_t prefix_len);

// Critical: removes up to 1024 entries; returns how many are left, or "needs reserve".
int32_t sf_map_clear(SfStore *store,
                     int32_t state,
                     int32_t key_group,
                     const uint8_t *key,
                     int32_t prefix_len);

// Critical: adds an element, or several joined by ','. 0, or "needs reserve".
int32_t sf_list_add(SfStore *store,
                    int32_t state,
                    int32_t key_group,
                    const uint8_t *key,
                    int32_t key_len,
                    const uint8_t *element,
                    int32_t element_len);

// Critical: length of the elements joined by ',', copied if they fit; or "absent", or "needs reserve".
int32_t sf_list_get(SfStore *store,
                    int32_t state,
                    int32_t key_group,
                    const uint8_t *key,
                    int32_t key_len,
                    uint8_t *out,
                    int32_t cap);

// Critical: replaces a list by elements joined by ','. 0, or "needs reserve".
int32_t sf_list_put(SfStore *store,
                    int32_t state,
                    int32_t key_group,
                    const uint8_t *key,
                    int32_t key_len,
                    const uint8_t *joined,
                    int32_t joined_len);

// Critical: removes up to 1024 chunks of a list; returns how many are left, or "needs reserve".
int32_t sf_list_clear(SfStore *store,
                      int32_t state,
                      int32_t key_group,
                      const uint8_t *key,
                      int32_t key_len);

// Critical: adds an element, ordered by its first eight bytes. 0 was there, 1 added, 2 added as the
// new head, or "needs reserve".
int32_t sf_timer_add(SfStore *store,
                     int32_t state,
                     int32_t key_group,
                     const uint8_t *element,
                     int32_t element_len);

// Critical: removes an element. 0 was not there, 1 removed, 2 removed and it was the head, or "needs reserve".
int32_t sf_timer_remove(SfStore *store,
                        int32_t state,
                        int32_t key_group,
                        const uint8_t *element,
                        int32_t element_len);

// Critical: the smallest element over all key groups, as `sf_value_get`.
int32_t sf_timer_peek(SfStore *store, int32_t state, uint8_t *out, int32_t cap);

// Critical: as `sf_timer_peek`, and removes the element if it fits; or "needs reserve".
int32_t sf_timer_poll(SfStore *store, int32_t state, uint8_t *out, int32_t cap);

// Critical: a page of a map's entries from a cursor on (first 0), in insertion order; entries are
// `[i32 user key length][i32 value length][user key][value]`. Returns bytes written, "too small" or "needs
// reserve". The cursor outlives changes of the map.
int32_t sf_map_scan(SfStore *store,
                    int32_t state,
                    int32_t key_group,
                    const uint8_t *key,
                    int32_t prefix_len,
                    int64_t cursor,
                    uint8_t *out,
                    int32_t cap);

// A page of a key group's keys: whole keys of a value state, each distinct `[key][namespace]` of a list or map,
// elements of a timer state; entries are `[i32 length][bytes]`. No row may come or go between pages.
int32_t sf_keys_scan(SfStore *store,
                     int32_t state,
                     int32_t key_group,
                     int64_t cursor,
                     uint8_t *out,
                     int32_t cap);

// A page of a key group's rows: `[i32 key length][i32 prefix length][i32 value length][key][value]`; a list is
// one row with its elements joined. Between pages values may be replaced, but no row may come or go.
int32_t sf_rows_scan(SfStore *store,
                     int32_t state,
                     int32_t key_group,
                     int64_t cursor,
                     uint8_t *out,
                     int32_t cap);

// Ends the epoch: a pointer swap. Modes: 0 what changed since the last completed checkpoint, 1 everything
// as a segment that nothing builds on, 2 everything as rows (`sf_snapshot_rows`), 3 everything as a segment that
// later checkpoints build on. A store with `sf_store_keep_places` has, in place of 0 and 3: 5 what changed, 7
// everything as a table that later checkpoints build on, and also 6 everything as a table that nothing builds on.
// Compression: 0 none, 1 LZ4 (segments), 2 Zstandard, 3 Snappy (tables). `ttl_now` (milliseconds) leaves expired
// rows out of what is written whole; the least long: keep them. Null on error.
SfSnapshot *sf_snapshot_begin(SfStore *store,
                              int64_t checkpoint_id,
                              int32_t mode,
                              int32_t compression,
                              int64_t ttl_now);

// The next bytes of the segment file, or of the data file that `sf_table_next_file` began; returns how many, 0
// at the end. 0 at once: nothing is to be written.
int32_t sf_snapshot_next(SfSnapshot *snapshot,
                         uint8_t *out,
                         int32_t cap);

// The next rows in the order (key group, state): a page of
// `[i32 key group][i32 state][i32 key length][i32 value length][key][value]`; a list is one row. Returns bytes
// written, 0 at the end, or "too small".
int32_t sf_snapshot_rows(SfSnapshot *snapshot,
                         uint8_t *out,
                         int32_t cap);

// After the end of `sf_snapshot_next`:
// `[i64 epoch][i64 new segment or -1][i64 rows][i64 tombstones][i64 file bytes][i64 raw bytes]`, then
// `[i32 n]` segments of the checkpoint, oldest first: `[i64 number][i32 n]` key groups
// `[i32 key group][i32 kind: 1 whole, 0 changes][i64 bytes]`. Returns bytes written, or "too small".
int32_t sf_snapshot_describe(SfSnapshot *snapshot,
                             uint8_t *out,
                             int32_t cap);

// Frees a snapshot and the memory that only it held.
int32_t sf_snapshot_free(SfSnapshot *snapshot);

// The checkpoint is complete: the next incremental one builds on it. Unknown ids are ignored. Task thread.
int32_t sf_checkpoint_complete(SfStore *store,
                               int64_t checkpoint_id);

// The checkpoint will not be completed. Unknown ids are ignored. Task thread.
int32_t sf_checkpoint_abort(SfStore *store, int64_t checkpoint_id);

// One more handle of the same batch, which shares its memory. Null on error.
SfBatch *sf_batch_retain(SfBatch *batch);

// Copies the kinds of the rows, a byte each; 1 when all are inserts and nothing was copied. `cap`: at least the rows.
int32_t sf_batch_kinds(SfBatch *batch,
                       uint8_t *out,
                       int32_t cap);

// Frees a batch, on any thread; its memory goes when the last one that shares it does.
int32_t sf_batch_free(SfBatch *batch);

// Makes a splitter of a plan (the message `Exchange`) for so many channels, whose tasks share the key groups of
// `max_parallelism`. Its batches are charged to a budget. Null on error.
SfSplitter *sf_splitter_new(SfBudget *budget,
                            const uint8_t *plan,
                            int32_t len,
                            int32_t max_parallelism,
                            int32_t channels);

// Splits a batch, which stays. Returns the number of pieces, none of which is empty. `out` (four places for each channel):
// of each piece its channel, handle, rows and bytes.
int32_t sf_splitter_split(SfSplitter *splitter,
                          SfBatch *batch,
                          int64_t *out);

// Frees a splitter.
int32_t sf_splitter_free(SfSplitter *splitter);

// Joins batches of one row type in their order; they stay. `batches`: their handles. `out` (three places): handle, rows and
// bytes of the result, which is charged to the budget.
int32_t sf_batches_concat(SfBudget *budget,
                          const int64_t *batches,
                          int32_t count,
                          int64_t *out);

// Writes a batch, which stays. `out` (three places): the handle of the frame, the address of its bytes, their number.
int32_t sf_frame_write(SfBudget *budget,
                       SfBatch *batch,
                       int64_t *out);

// Reads the batch of one whole frame. `row_type`: the message `DataType` of its rows. `out` (three places): the handle of
// the batch, its rows, its bytes.
int32_t sf_frame_read(SfBudget *budget,
                      const uint8_t *row_type,
                      int32_t row_type_len,
                      const uint8_t *frame,
                      int32_t frame_len,
                      int64_t *out);

// Frees a frame.
int32_t sf_frame_free(SfFrame *frame);

// Makes an operator of a plan (the message `Operator`), whose batches are charged to a budget. Null on error.
SfOperator *sf_operator_new(SfBudget *budget,
                            const uint8_t *plan,
                            int32_t len);

// Gives a batch to an input (0 or 1). The batch's handle is gone, also after an error. `store` is null for operators
// without state; `now` is the time of Flink's TTL clock in milliseconds. `out` (three places): the handle of the batch
// that comes out, its rows, its bytes; the handle is 0 when nothing comes out.
int32_t sf_operator_process(SfOperator *operator_,
                            SfStore *store,
                            int32_t number,
                            SfBatch *batch,
                            int64_t now,
                            int64_t *out);

// Gives what the operator holds back, as `sf_operator_process` gives what comes out.
int32_t sf_operator_flush(SfOperator *operator_, SfStore *store, int64_t now, int64_t *out);

// Frees an operator; the store is its owner's.
int32_t sf_operator_free(SfOperator *operator_);

// Whether a plan can run: builds what it says and throws it away. Kinds: 0 `Reader`, 1 `Writer`, 2 `Operator`,
// 3 `Exchange`. When it cannot, the status is `SF_ERR_UNSUPPORTED` and the text the reason, in words for users.
int32_t sf_plan_check(int32_t kind,
                      const uint8_t *plan,
                      int32_t len);

// Makes a reader of a plan (the message `Reader`), whose batches are charged to a budget. Null on error.
SfReader *sf_reader_new(SfBudget *budget,
                        const uint8_t *plan,
                        int32_t len);

// Reads the first `records` records of a slab. `out` (five places): the handle of the batch, its rows, its bytes, 1 if it
// has a watermark, and the watermark.
int32_t sf_reader_read(SfReader *reader,
                       SfSlab *slab,
                       int32_t records,
                       int64_t *out);

// Frees a reader.
int32_t sf_reader_free(SfReader *reader);

// Makes an empty slab; null on error.
SfSlab *sf_slab_new(SfBudget *budget);

// Gives room for so many bytes and records at least; what was written stays. `out` (two places): the address of the bytes,
// and that of the offsets (32-bit, one more than there are records, the first 0), valid until the next call.
int32_t sf_slab_reserve(SfSlab *slab,
                        int32_t bytes,
                        int32_t records,
                        int64_t *out);

// Frees a slab.
int32_t sf_slab_free(SfSlab *slab);

// Makes a writer of a plan (the message `Writer`). Null on error.
SfWriter *sf_writer_new(const uint8_t *plan, int32_t len);

// Writes one record for each row; the batch stays. `out` (six places): of the values, then of the keys, the address of the
// bytes, their number, and the address of the ends (32-bit; the high bit: there is no such record). Addresses are valid until
// the next call; those of keys are 0 when records have none.
int32_t sf_writer_write(SfWriter *writer,
                        SfBatch *batch,
                        int64_t *out);

// Frees a writer.
int32_t sf_writer_free(SfWriter *writer);

// Version of the ABI; the Java side asks for exactly its own.
uint32_t sf_abi_version(void);

// Copies the hex SHA-256 of the C header that the library was built with; returns its length.
int32_t sf_abi_fingerprint(uint8_t *out, int32_t cap);

// Copies as much as fits of the last error's text of this thread (UTF-8); returns its whole length.
int32_t sf_last_error(uint8_t *out, int32_t cap);

// Status of the last call of this thread that failed; for functions that return a pointer.
int32_t sf_last_status(void);

// Budgets, stores, snapshots and loaders of this process that are not freed.
int64_t sf_live_handles(void);

// Bytes charged to all budgets of this process.
int64_t sf_charged_bytes(void);

// Makes an empty store for the key groups `kg_first` to `kg_last` of `max_parallelism`.
// `chunk_bytes`: usual size of a memory chunk, 4096 to 262144, 0: as the budget allows. Null on error.
SfStore *sf_store_new(SfBudget *budget,
                      int32_t max_parallelism,
                      int32_t kg_first,
                      int32_t kg_last,
                      int32_t chunk_bytes);

// Frees a store. Its snapshots live on.
int32_t sf_store_free(SfStore *store);

// Rows that do not fit the budget go to files in a directory (UTF-8), which is there and stays while the store lives.
// After `sf_store_keep_places`.
int32_t sf_store_spill_to(SfStore *store,
                          const uint8_t *directory,
                          int32_t len);

// Four figures, in bytes: in spill files, of living rows in them, written to and read from them so far. `n` is how many
// fit.
int32_t sf_store_spill_stats(SfStore *store,
                             int64_t *out,
                             int32_t n);

// Registers a state and returns its number. Kinds: 0 value, 1 list, 2 map, 3 timer. `want_id` -1: the next
// free number; otherwise the number must be the next free one or already this state's.
int32_t sf_state_register(SfStore *store,
                          int32_t kind,
                          const uint8_t *name,
                          int32_t name_len,
                          int32_t want_id);

// Tells the store where a state's values keep the time of last access (big-endian milliseconds at byte
// `ts_offset`) and how long they live after it. `ttl_millis` 0: not at all. Flags: 1 sweep expired rows
// in the background, 2 leave them out of full snapshots. Without effect for lists and timers.
int32_t sf_state_set_ttl(SfStore *store,
                         int32_t state,
                         int64_t ttl_millis,
                         int32_t ts_offset,
                         int32_t flags);

// Deletes every row of a state.
int32_t sf_state_clear_all(SfStore *store, int32_t state);

// Living rows of a state: values, list keys, map entries, timers. Negative: an error.
int64_t sf_state_rows(SfStore *store, int32_t state);

// Provides what the last call that answered "needs reserve" lacked: memory from the budget, compaction when
// it is short. Fails with a memory error that names the state.
int32_t sf_store_reserve(SfStore *store);

// A bounded step of background work; `now_millis` is the TTL clock. Returns 1 when more is waiting.
int32_t sf_store_maintain(SfStore *store, int64_t now_millis);

// Writes up to `n` figures: living rows, living bytes, charged bytes, timers, epoch, garbage bytes, tombstone
// bytes, bytes compacted so far. Returns how many.
int32_t sf_store_stats(SfStore *store,
                       int64_t *out,
                       int32_t n);

// For tests: panics, so that the store is poisoned.
int32_t sf_test_panic(SfStore *store);

// From now on the checkpoints of this store, which has no row yet, are tables. Options:
// `[i32 buckets][i64 target file bytes][i64 rows that a checkpoint may write again][i32 dead percent][i32 fan-in]`.
int32_t sf_store_keep_places(SfStore *store,
                             const uint8_t *options,
                             int32_t len);

// How coming snapshots split keys and which typed columns they have: `[i32 n]` states, by number,
// `[i32 namespace length or -1][i32 key length or -1]`, then the columns, as `sf_paimon::TableColumns` describes them.
int32_t sf_store_columns(SfStore *store,
                         const uint8_t *bytes,
                         int32_t len);

// Begins the next data file of a table: `[i64 number][i32 bucket]`, its bytes are those of `sf_snapshot_next`.
// Returns bytes written, 0: there is no more file, and the snapshot can be described.
int32_t sf_table_next_file(SfSnapshot *snapshot,
                           uint8_t *out,
                           int32_t cap);

// After the last data file: the deletion-vector index file of a bucket. Returns bytes written, 0: the bucket has
// none, or "too small".
int32_t sf_table_index(SfSnapshot *snapshot,
                       int32_t bucket,
                       uint8_t *out,
                       int32_t cap);

// After the last data file: `[i64 epoch][i64 rows written][i64 rows deleted][i64 file bytes][i64 raw bytes]`, then
// `[i32 n]` data files of the checkpoint, by number: `[i64 number][i32 bucket][i32 is new][i64 bytes][i64 rows]`
// `[i64 first sequence][i32 first key group][i32 last key group][i32 deletion vector's offset or -1][i32 its length]`
// `[i64 dead rows]`. Returns bytes written, or "too small".
int32_t sf_table_describe(SfSnapshot *snapshot,
                          uint8_t *out,
                          int32_t cap);

// Reads the footer of a data file from its last `tail_len` bytes. Out: `[i32 n]` row groups
// `[i64 offset][i64 length][i64 rows][i64 first row][i32 first key group][i32 last key group]`; returns bytes written, or
// "too small". 0: the tail is too short, its needed length is in the first eight bytes. `name` is for error texts.
int32_t sf_table_footer(const uint8_t *tail,
                        int32_t tail_len,
                        int64_t file_len,
                        const uint8_t *name,
                        int32_t name_len,
                        uint8_t *out,
                        int32_t cap);

// Opens a data file in a loader; its rows belong to `epoch`. `tail` is long enough for the footer. `vector` is its
// part of the deletion-vector index file, from the entry's offset on, empty without one.
int32_t sf_loader_table(SfLoader *loader,
                        int32_t epoch,
                        const uint8_t *tail,
                        int32_t tail_len,
                        int64_t file_len,
                        const uint8_t *vector,
                        int32_t vector_len,
                        const uint8_t *name,
                        int32_t name_len);

// Memory of the loader for the `len` bytes of a row group: written by the caller, valid until the loader's next
// call. Null on error.
uint8_t *sf_loader_row_group_bytes(SfLoader *loader,
                                   int32_t len);

// Loads those rows of a row group that live and are of a key group in the range. Its bytes are what was written to
// the memory that `sf_loader_row_group_bytes` gave last.
int32_t sf_loader_row_group(SfLoader *loader,
                            int32_t group,
                            int32_t first_key_group,
                            int32_t last_key_group);

// After `sf_restore_finish`: later incremental checkpoints build on the restored table. `desc`: `[i32 n]` data files in
// the order of their epochs: `[i64 number][i32 bucket][i64 bytes][i64 rows][i64 first sequence][i32 first key group]`
// `[i32 last key group][i32 length][deletion vector, as for sf_loader_table]`.
int32_t sf_restore_table(SfStore *store,
                         const uint8_t *desc,
                         int32_t len);
