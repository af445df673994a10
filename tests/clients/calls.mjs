// calls.mjs - the calls that every client makes, and their expected results.
//
// The first 28 rows are the contracts' own test cases (X23): eight of write,
// six of read, seven of multi_edit, seven of edit. The others cover each tool and
// each error code once for each client.
//
// @DIR@ is the row's own directory, @ROW@ its name in the root. `result` is
// compared with the specified keys of the payload; further data is in _meta.

const numbers = Array.from({ length: 100 }, (_, i) => `${i + 1}\n`).join('');
const config =
  '[server]\nhost = "localhost"\nport = 8080\n\n[app]\ndebug = false\n';
const configAfter =
  '[server]\nhost = "0.0.0.0"\nport = 3000\n\n[app]\ndebug = true\n';
const hundred = (word) =>
  Array.from({ length: 100 }, (_, i) => `key_${i + 1000} = ${word}\n`).join('');
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const block = 'fn a() {\n  1\n}\n\nfn b() {}\n';

const write = (path, content) => ['write_text_file', { path, content }];
const read = (path, more) => ['read_text_file', { path, ...more }];
const edit = (path, old_string, new_string) =>
  ['edit_text_file', { path, old_string, new_string }];
const multi = (path, ...edits) => ['multi_edit_text_file', {
  path,
  edits: edits.map(([old_string, new_string]) => ({ old_string, new_string })),
}];
const wrote = (bytes_written, created) =>
  ({ success: true, bytes_written, created });
const lines = (content, total_lines, returned_lines, next_line) => ({
  content,
  _meta: next_line
    ? { total_lines, returned_lines, has_more: true, next_line }
    : { total_lines, returned_lines, has_more: false },
});
const ranges = (...pairs) =>
  pairs.map(([start, end], edit_index) => ({ edit_index, start, end }));
const error = (code, message) => ({ code, message });
const header = (name) => `--- ${name}\n+++ ${name}\n`;

export const contract = [
  // W32 W33 W34 W35 W36 W37 W38 W39
  { name: 'write TC1: create new file', call: write('@DIR@/new.txt', 'Hello\n'),
    result: wrote(6, true), after: { 'new.txt': 'Hello\n' } },
  { name: 'write TC2: overwrite existing file',
    before: { 'existing.txt': 'Old content\n' },
    call: write('@DIR@/existing.txt', 'New content\n'),
    result: wrote(12, false), after: { 'existing.txt': 'New content\n' } },
  { name: 'write TC3: write empty file', call: write('@DIR@/empty.txt', ''),
    result: wrote(0, true), after: { 'empty.txt': '' } },
  { name: 'write TC4: permission denied',
    call: write('/root/secret.txt', 'data'),
    error: error(-32002, 'Permission denied: /root/secret.txt') },
  { name: 'write TC5: invalid path', call: write('relative/path.txt', 'data'),
    error: error(-32600, 'Path must be absolute: relative/path.txt') },
  { name: 'write TC6: parent directory not found',
    call: write('@DIR@/missing-dir/file.txt', 'data'),
    error: error(-32001, 'Parent directory not found: @DIR@/missing-dir') },
  { name: 'write TC7: path is directory', before: { 'dir/x': '' },
    call: write('@DIR@/dir', 'data'),
    error: error(-32003, '@DIR@/dir is a directory') },
  { name: 'write TC8: large file',
    call: write('@DIR@/large.txt', 'x'.repeat(1048576)),
    result: wrote(1048576, true),
    after: { 'large.txt': 'x'.repeat(1048576) }, large: true },

  // R36 R37 R38 R39 R40 R41
  { name: 'read TC1: read entire file', before: { 'hello.txt': 'Hello\nWorld\n' },
    call: read('@DIR@/hello.txt'), result: lines('Hello\nWorld\n', 2, 2) },
  { name: 'read TC2: read with pagination', before: { 'numbers.txt': numbers },
    call: read('@DIR@/numbers.txt', { line: 10, limit: 5 }),
    result: lines('10\n11\n12\n13\n14\n', 100, 5, 15) },
  { name: 'read TC3: file not found', call: read('@DIR@/missing.txt'),
    error: error(-32001, 'File not found: @DIR@/missing.txt') },
  { name: 'read TC4: invalid path', call: read('relative/path.txt'),
    error: error(-32600, 'Path must be absolute: relative/path.txt') },
  { name: 'read TC5: binary file', before: { 'image.png': png },
    call: read('@DIR@/image.png'),
    error: error(-32004, 'Cannot read binary file: @DIR@/image.png') },
  { name: 'read TC6: empty file', before: { 'empty.txt': '' },
    call: read('@DIR@/empty.txt'), result: lines('', 0, 0) },

  // M35 M36 M37 M38 M39 M40 M42
  { name: 'multi_edit TC1: multiple edits in same file',
    before: { 'config.toml': config },
    call: multi('@DIR@/config.toml', ['port = 8080', 'port = 3000'],
      ['host = "localhost"', 'host = "0.0.0.0"'],
      ['debug = false', 'debug = true']),
    result: { success: true, diff: `${header('config.toml')}@@ -1,6 +1,6 @@
 [server]
-host = "localhost"
-port = 8080
+host = "0.0.0.0"
+port = 3000
 
 [app]
-debug = false
+debug = true
`, applied_count: 3, line_ranges: ranges([3, 3], [2, 2], [6, 6]) },
    after: { 'config.toml': configAfter } },
  { name: 'multi_edit TC2: sequential edits', before: { 'file.txt': 'AAA' },
    call: multi('@DIR@/file.txt', ['AAA', 'BBB'], ['BBB', 'CCC']),
    result: { success: true, diff: `${header('file.txt')}@@ -1,1 +1,1 @@
-AAA
\\ No newline at end of file
+CCC
\\ No newline at end of file
`, applied_count: 2, line_ranges: ranges([1, 1], [1, 1]) },
    after: { 'file.txt': 'CCC' } },
  { name: 'multi_edit TC3: string not found in edit 2',
    before: { 'file.txt': 'line 1\nline 2\n' },
    call: multi('@DIR@/file.txt', ['line 1', 'LINE 1'], ['line 3', 'LINE 3']),
    error: error(-32010, 'Edit 1: String not found: line 3'),
    after: { 'file.txt': 'line 1\nline 2\n' } },
  { name: 'multi_edit TC4: empty edits array', before: { 'file.txt': 'x' },
    call: multi('@DIR@/file.txt'),
    error: error(-32600, 'Edits array cannot be empty') },
  { name: 'multi_edit TC5: duplicate edits', before: { 'file.txt': 'foo' },
    call: multi('@DIR@/file.txt', ['foo', 'bar'], ['foo', 'baz']),
    error: error(-32010, 'Edit 1: String not found: foo'),
    after: { 'file.txt': 'foo' } },
  { name: 'multi_edit TC6: large number of edits',
    before: { 'many.txt': hundred('old') },
    call: multi('@DIR@/many.txt', ...Array.from({ length: 100 },
      (_, i) => [`key_${i + 1000} = old`, `key_${i + 1000} = new`])),
    result: { success: true, applied_count: 100,
      diff: `${header('many.txt')}@@ -1,100 +1,100 @@\n${
        hundred('old').replace(/^/gm, '-').slice(0, -1)}${
        hundred('new').replace(/^/gm, '+').slice(0, -1)}`,
      line_ranges: ranges(...Array.from({ length: 100 },
        (_, i) => [i + 1, i + 1])) },
    after: { 'many.txt': hundred('new') } },
  { name: 'multi_edit TC7: edits creating ambiguity',
    before: { 'file.txt': 'A' },
    call: multi('@DIR@/file.txt', ['A', 'AA'], ['A', 'B']),
    error: error(-32011, 'Edit 1: String appears 2 times: A'),
    after: { 'file.txt': 'A' } },

  // E01 E02 E03 E04 E05 E06 E07
  { name: 'edit TC1: one value', before: { 'config.toml': config },
    call: edit('@DIR@/config.toml', '8080', '3000'),
    result: { success: true, diff: `${header('config.toml')}@@ -1,6 +1,6 @@
 [server]
 host = "localhost"
-port = 8080
+port = 3000
 
 [app]
 debug = false
`, line_range: { start: 3, end: 3 } },
    after: { 'config.toml': config.replace('8080', '3000') } },
  { name: 'edit TC2: a block', before: { 'a.rs': block },
    call: edit('@DIR@/a.rs', 'fn a() {\n  1\n}', 'fn a() {\n  2\n}'),
    result: { success: true, diff: `${header('a.rs')}@@ -1,5 +1,5 @@
 fn a() {
-  1
+  2
 }
 
 fn b() {}
`, line_range: { start: 1, end: 3 } },
    after: { 'a.rs': block.replace('1', '2') } },
  { name: 'edit TC3: string not found', before: { 'f.txt': 'Hello World\n' },
    call: edit('@DIR@/f.txt', 'Goodbye', 'x'),
    error: error(-32010, 'String not found in file: Goodbye') },
  { name: 'edit TC4: multiple matches', before: { 'f.txt': 'foo\nfoo\nfoo' },
    call: edit('@DIR@/f.txt', 'foo', 'bar'),
    error: error(-32011, 'String appears 3 times (must be unique): foo') },
  { name: 'edit TC5: delete', before: { 'f.txt': 'line 1\nline 2\nline 3\n' },
    call: edit('@DIR@/f.txt', 'line 2\n', ''),
    result: { success: true, diff: `${header('f.txt')}@@ -1,3 +1,2 @@
 line 1
-line 2
 line 3
`, line_range: { start: 2, end: 2 } },
    after: { 'f.txt': 'line 1\nline 3\n' } },
  { name: 'edit TC6: file not found', call: edit('@DIR@/none.txt', 'a', 'b'),
    error: error(-32001, 'File not found: @DIR@/none.txt') },
  { name: 'edit TC7: identical strings', before: { 'f.txt': 'a' },
    call: edit('@DIR@/f.txt', 'a', 'a'),
    error: error(-32600, 'old_string and new_string are identical') },
];

export const others = [
  // T05 T08: hello
  { name: 'hello without a name', call: ['hello', {}],
    result: { message: 'Hello, World!', timestamp: /^\d{4}-.*Z$/ } },
  { name: 'hello with a name', call: ['hello', { name: 'Learner' }],
    result: { message: 'Hello, Learner!', timestamp: /^\d{4}-.*Z$/ } },
  { name: 'read: line below 1', before: { f: 'a\n' },
    call: read('@DIR@/f', { line: 0 }),
    error: error(-32600, 'Line number must be >= 1: 0') },
  { name: 'read: limit below 1', before: { f: 'a\n' },
    call: read('@DIR@/f', { limit: -2 }),
    error: error(-32600, 'Limit must be >= 1: -2') },
  { name: 'read: a directory', call: read('@DIR@'),
    error: error(-32003, '@DIR@ is not a file') },
  { name: 'read: outside the roots', call: read('/etc/passwd'),
    error: error(-32002, 'Permission denied: /etc/passwd') },
  { name: 'read: a line that no reply can carry',
    before: { wide: 'x'.repeat(11000000) }, call: read('@DIR@/wide'),
    error: error(-32006, /^Line 1 of @DIR@\/wide has 11000000 bytes/) },
  { name: 'read: an error of the system', call: read(`@DIR@/${'n'.repeat(300)}`),
    error: error(-32603, /^File name too long/) },
  { name: 'read: more than a reply can carry is cut and goes on',
    before: { big: '0123456789abcdef\n'.repeat(700000) },
    call: read('@DIR@/big'), large: true,
    check: (payload) => payload._meta.has_more
      && payload._meta.total_lines === 700000
      && payload._meta.next_line === payload._meta.returned_lines + 1
      && payload.content.length === payload._meta.returned_lines * 17 },
  { name: 'multi_edit: a conflict', before: { f: 'abc def\n' },
    call: multi('@DIR@/f', ['abc', 'x'], ['c d', 'y']),
    error: error(-32012, 'Edit 1 conflicts with edit 0') },
  { name: 'multi_edit: binary', before: { 'image.png': png },
    call: multi('@DIR@/image.png', ['a', 'b']),
    error: error(-32004, 'Cannot edit binary file: @DIR@/image.png') },
  { name: 'multi_edit: an empty old_string', before: { f: 'a' },
    call: multi('@DIR@/f', ['', 'b']),
    error: error(-32600, 'Edit 0: old_string cannot be empty') },
  // T12 T15 T58
  { name: 'read_repo_file: a file', before: { 'a.txt': 'x\n' },
    call: ['read_repo_file', { path: './@ROW@//a.txt' }],
    result: { content: 'x\n', path: '@ROW@/a.txt', size: 2 } },
  { name: 'read_repo_file: a blocked name', before: { '.env': 'x\n' },
    call: ['read_repo_file', { path: '@ROW@/.env' }],
    error: error(-32002, 'Path not allowed: @ROW@/.env') },
  { name: 'write_memory_entry: nobody has agreed',
    call: ['write_memory_entry', { file: 'decisions.jsonl', entry: '1' }],
    error: error(-32007, /^Approval required: append 2 bytes to /) },
  { name: 'a missing argument', call: ['write_text_file', { path: '@DIR@/x' }],
    error: error(-32602, /content/), protocol: true },
  { name: 'an argument of another type', call: read('@DIR@/x', { line: 'one' }), typed: true,
    error: error(-32602, /line/), protocol: true },
  { name: 'an unknown argument', call: read('@DIR@/x', { lime: 1 }),
    error: error(-32602, /lime/), protocol: true },
  { name: 'an unknown tool', call: ['no_such_tool', {}],
    error: error(-32602, 'Unknown tool: no_such_tool'), protocol: true },
];

// Calls that depend on each other: a client may write what it has read.
// C93 C94 C95 C96 C97 A07 A51 A68 A74 X25
const unread = 'File has not been read yet. Read it first before writing to it.';
const updated = (shown) => 'The file @DIR@/f has been updated. Here\'s the result '
  + 'of running `cat -n` on a snippet of the edited file:\n' + shown;
const hunk = (...lines) => [
  { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }];
const claude = (content) => ({ file_path: '@DIR@/f', content });

export const sequence = [
  { call: ['Write', claude('two\n')], failed: true, text: unread,
    content: { result: false, message: unread, errorCode: 2 } },
  { call: ['Edit', { file_path: '@DIR@/f', old_string: 'one', new_string: '1' }],
    failed: true, text: unread,
    content: { result: false, message: unread, errorCode: 2 } },
  { call: ['Read', { file_path: '@DIR@/f' }], text: '     1\tone',
    content: { type: 'text', file: { filePath: '@DIR@/f', content: 'one\n',
      numLines: 1, startLine: 1, totalLines: 1 } } },
  { call: ['Write', claude('two\n')], text: updated('     1\ttwo'),
    content: { type: 'update', filePath: '@DIR@/f', content: 'two\n',
      structuredPatch: hunk('-one', '+two') } },
  { call: ['Edit', { file_path: '@DIR@/f', old_string: 'two', new_string: 'three' }],
    text: updated('     1\tthree'),
    content: { filePath: '@DIR@/f', oldString: 'two', newString: 'three',
      structuredPatch: hunk('-two', '+three'), replaceAll: false } },
  { call: ['Edit', { file_path: '@DIR@/f', old_string: 'three', new_string: 'three' }],
    failed: true, text: 'old_string and new_string are identical',
    content: { error: { code: -32600,
      message: 'old_string and new_string are identical' } } },
];

export const names = [
  'Edit', 'Glob', 'Grep', 'NotebookEdit', 'Read', 'Write', 'append_file',
  'apply_patch', 'copy_file', 'create_directory', 'delete_file',
  'edit_text_file', 'file_history', 'hello', 'list_directory', 'move_file',
  'multi_edit_text_file', 'read_repo_file', 'read_text_file',
  'undo_file_change', 'write_memory_entry', 'write_text_file',
];
