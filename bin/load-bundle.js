// Loads the bundle with the compiled code of an earlier start. It is plain JavaScript, like the launcher. Node has a
// cache of its own, but that one holds no function that was compiled after its file was loaded, so all functions of a
// start are compiled again (decision 0045).
const { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join } = require('node:path')
const { cachedDataVersionTag } = require('node:v8')
const { Script } = require('node:vm')
const { crc32 } = require('node:zlib')

exports.openBundle = openBundle

/** The checksums of the source and of the compiled code, before the code. */
const HEAD_BYTES = 8
const FUNCTION_START = Buffer.from('(function (exports, require, module, __filename, __dirname) {')
const FUNCTION_END = Buffer.from('\n})')

/**
 * Opens the bundle in `folder`, a folder of CommonJS files in ASCII. `cacheFolder` holds compiled code; if it is not
 * writable, nothing is cached. `load` returns the exports of a file. `saveCode` writes the functions that were compiled
 * since the start, if the cache had none; it must be called before the process changes options of V8.
 */
function openBundle(folder, cacheFolder) {
  // The tag covers the version of V8, its options and the processor. No user runs code that another one has saved.
  const names = [process.version, process.arch, cachedDataVersionTag(), process.getuid?.() ?? 'user']
  const cache = join(cacheFolder, `code-${names.join('-')}`)
  const requireFromFolder = createRequire(join(folder, 'main.cjs'))
  const exportsOf = new Map()
  const uncached = []

  function load(name) {
    const loaded = exportsOf.get(name)
    if (loaded !== undefined) return loaded.exports
    const module = { exports: {} }
    exportsOf.set(name, module)
    const path = join(folder, name)
    const run = compile(name, path).runInThisContext()
    run.call(module.exports, module.exports, requireInBundle, module, path, folder)
    return module.exports
  }

  function requireInBundle(name) {
    return name.startsWith('./') ? load(name.slice(2)) : requireFromFolder(name)
  }

  function compile(name, path) {
    const source = readFileSync(path)
    const sourceSum = crc32(source)
    const cachedData = readCode(join(cache, name), sourceSum)
    const text = Buffer.concat([FUNCTION_START, source, FUNCTION_END]).toString('latin1')
    const script = new Script(text, { filename: path, cachedData })
    if (cachedData === undefined || script.cachedDataRejected) uncached.push({ name, script, sourceSum })
    return script
  }

  function saveCode() {
    // Node's own switch for its cache.
    if (process.env.NODE_DISABLE_COMPILE_CACHE !== undefined) return
    try {
      mkdirSync(cache, { recursive: true })
      for (const { name, script, sourceSum } of uncached.splice(0))
        writeCode(join(cache, name), script.createCachedData(), sourceSum)
    } catch {
      // The folder is not writable, or its disk is full. The next start compiles again.
    }
  }

  return { load, saveCode }
}

/** The compiled code of a source, or undefined if there is none, if it is damaged, or if its source has changed. */
function readCode(path, sourceSum) {
  try {
    const file = readFileSync(path)
    const code = file.subarray(HEAD_BYTES)
    return file.readUInt32LE(0) === sourceSum && file.readUInt32LE(4) === crc32(code) ? code : undefined
  } catch {
    // No start has written the file yet.
    return undefined
  }
}

/** Another process may read the file at any time, so it appears at once. A full disk leaves no part of it. */
function writeCode(path, code, sourceSum) {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(sourceSum, 0)
  head.writeUInt32LE(crc32(code), 4)
  const part = `${path}.${process.pid}`
  try {
    writeFileSync(part, Buffer.concat([head, code]), { mode: 0o600 })
    renameSync(part, path)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}
