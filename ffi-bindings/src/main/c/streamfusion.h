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

// A slot's budget; stores keep their own reference.
typedef struct SfBudget SfBudget;

// Loads key groups into a store; one per thread.
typedef struct SfLoader SfLoader;

// A store as it was at one moment. Used by one thread at a time, any thread.
typedef struct SfSnapshot SfSnapshot;

// A keyed store and what is known of its checkpoints. Used by the task thread only.
typedef struct SfStore SfStore;

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
