import { listWarnings } from '../admin/list-warnings.ts'
import { type App, openApp } from '../app.ts'
import { ConfigError } from '../config/config-error.ts'
import { type LoadParts, loadConfig } from '../config/load-config.ts'
import { systemClock } from '../kit/clock.ts'
import { reasonOf } from '../kit/reason-of.ts'
import { ListenError } from '../listen-error.ts'
import type { Terminal } from './check.ts'
import { describeError } from './describe-error.ts'
import { reloadOnSignal } from './reload-on-signal.ts'

export interface ServeInput {
  readonly loadParts: LoadParts
  readonly terminal: Terminal
  readonly version: string
}

/** How long live answers may go on after the process was asked to end. */
const DRAIN_LIMIT_MS = 30_000

/** `headgate serve`: runs until SIGTERM or SIGINT, and reads the configuration again on SIGHUP. Answers the exit code. */
export async function serveCommand({ loadParts, terminal, version }: ServeInput): Promise<number> {
  const { promise: end, resolve: endFor } = Promise.withResolvers<string>()
  const reloading = reloadOnSignal({
    loadParts,
    terminal,
    onTerminalGone: () => endFor('the terminal is gone'),
  })
  const started = await start({ loadParts, terminal, version })
  if (started === undefined) return 1
  greet(started, terminal)
  listenForEnd(loadParts.environment.isRunByNpm, endFor)
  reloading.begin(started)
  const reason = await end
  reloading.stop()
  terminal.printError(`headgate: ${reason}, finishing live answers (${DRAIN_LIMIT_MS / 1_000} s at most)`)
  for (const signal of endSignals) process.once(signal, () => process.exit(1))
  await started.close(DRAIN_LIMIT_MS)
  return 0
}

async function start({ loadParts, terminal, version }: ServeInput) {
  try {
    const config = await loadConfig(loadParts)
    return await openApp({ config, version, printError: terminal.printError })
  } catch (error) {
    terminal.printError(describeStartError(error))
    return undefined
  }
}

/** One line for what an operator can mend; a stack only for what is our own fault. */
function describeStartError(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  if (!(error instanceof Error)) return `headgate: ${String(error)}`
  if (error instanceof ListenError) return `headgate: ${describeListenError(error)}`
  return `headgate: ${describeError(error)}`
}

function describeListenError({ code, port, setting, message }: ListenError): string {
  const isCallers = setting === 'listen'
  if (code === 'EADDRINUSE') {
    const way = isCallers ? '--listen 127.0.0.1:PORT' : 'admin.listen in the configuration'
    return `port ${port} is in use by another program; choose another with ${way}`
  }
  const way = isCallers ? '--listen' : 'admin.listen in the configuration'
  if (code === 'EACCES')
    return `port ${port} may not be opened by this user; choose one above 1023 with ${way}`
  return `${setting}: cannot listen: ${message}`
}

const endSignals = ['SIGTERM', 'SIGINT'] as const
const PARENT_LOOK_MS = 500

/**
 * Tells of the first reason to end. npm ends its script's shell and not what the shell runs, so that under npm the loss of the parent
 * counts as one.
 */
function listenForEnd(isRunByNpm: boolean, endFor: (reason: string) => void): void {
  for (const signal of endSignals) process.once(signal, () => endFor(signal))
  if (!isRunByNpm) return
  const parent = process.ppid
  const look = () => {
    if (process.ppid === parent) systemClock.startTimer(PARENT_LOOK_MS, look)
    else endFor('npm ended')
  }
  look()
}

function greet(app: App, terminal: Terminal): void {
  const { printError } = terminal
  const { config } = app.configuration()
  const url = config.publicUrl ?? app.url
  for (const warning of listWarnings(app.configuration())) printError(`headgate: warning: ${warning}`)
  const models = app.catalog.current().models.map(({ name }) => name)
  const channels = config.channels.map(({ name }) => name)
  printError(`headgate: serving ${countOf(models.length, 'model')} of ${channels.join(', ')} on ${url}`)
  if (models.length === 0) {
    printError('headgate: no channel has told its models yet; they are asked again every few seconds')
  }
  if (app.firstKey !== undefined) showFirstKey(app, app.firstKey.secret, { url, terminal })
  else if (app.firstKeyFile.isThere()) {
    printError(
      `headgate: ${app.firstKeyFile.path} still holds the first key; delete the file once you have it`,
    )
  }
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A secret is shown on a terminal only; elsewhere it would stay in some log (law 12). */
function showFirstKey(
  app: App,
  secret: string,
  { url, terminal }: { readonly url: string; readonly terminal: Terminal },
): void {
  const { print } = terminal
  const path = process.stdout.isTTY === true ? undefined : app.firstKeyFile.path
  const model = app.catalog.current().models[0]?.name ?? 'MODEL'
  print('')
  if (path === undefined) print(`  Your API key, shown this once:  ${secret}`)
  else print(`  Your API key is in ${path}, readable by you alone.`)
  print('')
  print('  Try it:')
  print('')
  print(`  curl -N ${url}/v1/chat/completions \\`)
  print(`    -H "authorization: Bearer ${path === undefined ? secret : `$(cat '${path}')`}" \\`)
  print("    -H 'content-type: application/json' \\")
  print(`    -d '{"model":"${model}","stream":true,"messages":[{"role":"user","content":"Hello!"}]}'`)
  print('')
  if (path === undefined) removeKeyFile(app, terminal)
}

/** Only once the key is shown: a process that is killed before leaves the file. */
function removeKeyFile({ firstKeyFile }: App, { printError }: Terminal): void {
  try {
    firstKeyFile.remove()
  } catch (error) {
    printError(`headgate: warning: the file of the first key cannot be deleted: ${reasonOf(error)}`)
  }
}
