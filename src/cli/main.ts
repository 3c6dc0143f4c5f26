import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { MessageChannel } from 'node:worker_threads'
import { Command } from 'commander'
import { OperatorError } from '../canonical/operator-error.ts'
import { findDataFolder } from '../config/find-data-folder.ts'
import { type ConfigFlags, systemLoadInput } from '../config/load-config.ts'
import { readEnvironment } from '../config/source/environment.ts'
import { errorCodeOf } from '../kit/errors/error-code.ts'
import { nearestName } from '../kit/schema/nearest-name.ts'
import { registerAuditCommand } from './audit.ts'
import { registerBackupCommands } from './backup.ts'
import { registerDraftsCommand } from './changes/drafts.ts'
import { channelHealthCommand } from './channel-health.ts'
import { registerChaosCommand } from './chaos.ts'
import type { CommandContext } from './command-context.ts'
import { registerCompletionCommand } from './completion/write-completion.ts'
import { checkCommand, type Terminal } from './config/check.ts'
import { registerConfigCommand } from './config/config.ts'
import { initCommand } from './config/init.ts'
import { registerSettingsCommand } from './config/settings.ts'
import { healthCommand } from './health.ts'
import { registerKeysCommand } from './keys.ts'
import { registerLogsCommand } from './logs.ts'
import { registerMigrateCommand } from './migrate/migrate.ts'
import { registerBudgetCommands } from './money/budgets.ts'
import { registerCodeCommands } from './money/codes.ts'
import { registerCreditCommands } from './money/credits.ts'
import { registerLedgerCommand } from './money/ledger.ts'
import { registerPricesCommand } from './money/prices.ts'
import { registerUsageCommand } from './money/usage.ts'
import { registerAlertsCommand } from './monitoring/alerts.ts'
import { registerCapturesCommand } from './monitoring/captures.ts'
import { registerNodesCommand } from './monitoring/nodes.ts'
import { registerObjectCommands } from './objects/register-objects.ts'
import type { CommandIo } from './output/command-io.ts'
import { writeFailure } from './output/describe-error.ts'
import { addHelpCommand } from './output/help-command.ts'
import { addExamples } from './output/help-examples.ts'
import { runCommand } from './output/run-command.ts'
import { partCommand } from './parts/part.ts'
import { registerRestartCommand } from './parts/restart.ts'
import { registerTokensCommand } from './people/tokens.ts'
import { registerUsersCommand } from './people/users.ts'
import { openTerminal, printText } from './print-text.ts'
import { registerKeyCallers } from './requests/key-callers.ts'
import { registerTrafficCommand } from './requests/traffic.ts'
import { serveCommand } from './serve.ts'
import { registerCertifyCommand } from './served/certify.ts'
import { registerProvidersCommand } from './served/providers.ts'

interface HealthFlags {
  readonly ready?: boolean
  readonly channels?: boolean
  readonly reset?: string
  readonly json?: boolean
}

const terminal: Terminal = {
  print: (line) => printText(process.stdout, `${line}\n`),
  printError: (line) => printText(process.stderr, `${line}\n`),
}

/** Whether standard output has a reader, as far as the last write shows. */
let isRead = true

/** Runs the command line. `argv` is the process's own. `onServing` is called once a server answers callers. */
export async function main(argv: readonly string[], onServing = () => undefined): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endUnlessClosed)
  process.stdout.once('error', () => {
    isRead = false
  })
  await createProgram(onServing).parseAsync([...argv])
}

/**
 * Ignores a closed pipe: a reader such as `head` closes the pipe when it has enough lines. Any other failure, such as
 * a full disk, ends the command, because its output is lost.
 */
function endUnlessClosed(error: Error): void {
  if (errorCodeOf(error) === 'EPIPE') return
  const advice =
    'look whether the disk has room; a change that the command made stays, and where its output was a secret, make another one'
  const happened = `the output of the command cannot be written (${error.message})`
  terminal.printError(writeFailure(new OperatorError('file_unwritable', happened, { advice, cause: error })))
  process.exit(1)
}

/** Creates all commands with their help. */
export function createProgram(onServing = () => undefined): Command {
  const version = readVersion()
  const program = new Command('headgate')
    .description('A model gateway: one address and one key in front of every model provider.')
    .version(version)
    .option('--config <file>', 'the configuration file (HEADGATE_CONFIG; else ./headgate.yaml if it exists)')
    .option('--data <folder>', 'the data folder (HEADGATE_DATA; else ./data)')
    .option('--listen <address>', 'where callers connect (HEADGATE_LISTEN; else 127.0.0.1:8080)')
  const flags = () => program.opts<ConfigFlags>()
  const io = processIo()
  registerServeCommand(program, { flags, version, onServing, io })
  registerFileCommands(program, flags, io)
  // This is a function, since options are known only after the command line is parsed.
  const dataFolder = () => findDataFolder(systemLoadInput(flags()))
  const context = { dataFolder, adminToken: () => readEnvironment().adminToken, io }
  registerHealthCommand(program, context)
  registerRestartCommand(program, context)
  registerNodesCommand(program, context)
  registerKeysCommand(program, context)
  registerKeyCallers(program, context)
  registerUsersCommand(program, context)
  registerTokensCommand(program, context)
  registerObjectCommands(program, context)
  registerCertifyCommand(program, { ...context, interrupted: onInterrupt })
  registerProvidersCommand(program, context)
  registerBudgetCommands(program, context)
  registerCreditCommands(program, context)
  registerCodeCommands(program, context)
  registerConfigCommand(program, context)
  registerDraftsCommand(program, context)
  registerSettingsCommand(program, context)
  registerPricesCommand(program, { ...context, loadInput: () => systemLoadInput(flags()) })
  registerUsageCommand(program, context)
  registerTrafficCommand(program, context)
  registerLedgerCommand(program, { ...context, openOutput: () => process.stdout })
  registerLogsCommand(program, context)
  registerAlertsCommand(program, context)
  registerAuditCommand(program, context)
  registerBackupCommands(program, context, version)
  registerMigrateCommand(program, { ...context, environment: readEnvironment })
  registerCapturesCommand(program, context)
  registerChaosCommand(program, { io, listen: () => flags().listen, untilEnd: untilSignal })
  registerCompletionCommand(program, io)
  addHelpCommand(program)
  addExamples(program)
  return program
}

interface ServeContext {
  readonly flags: () => ConfigFlags
  readonly version: string
  readonly onServing: () => void
  readonly io: CommandIo
}

function registerServeCommand(program: Command, { flags, version, onServing, io }: ServeContext): void {
  program
    .command('serve', { isDefault: true })
    .description('start the gateway')
    .argument('[nothing...]')
    .option('--workers <number>', WORKERS_HELP)
    .usage('[options]')
    .action(async (unknown: readonly string[], { workers }: WorkerFlags) => {
      if (unknown.length > 0) program.error(`error: ${describeUnknownCommand(program, unknown)}`)
      const loadInput = await runCommand(io, () => systemLoadInput({ ...flags(), workers }))
      if (loadInput === undefined) return
      await runServer((ownTerminal) =>
        serveCommand({
          loadInput,
          terminal: ownTerminal,
          version,
          onServing,
        }),
      )
    })
  program
    .command('part', { hidden: true })
    .description('one process of several, which headgate serve --workers starts')
    .argument('<kind>', 'for people who list processes')
    .option('--workers <number>', WORKERS_HELP)
    .action(async (_kind: string, { workers }: WorkerFlags) => {
      await runServer((ownTerminal) =>
        partCommand({
          loadInput: systemLoadInput({ ...flags(), workers }),
          terminal: ownTerminal,
          version,
          onServing,
        }),
      )
    })
}

interface WorkerFlags {
  readonly workers?: string
}

const WORKERS_HELP =
  'the processes that serve callers: auto, a number, or off (HEADGATE_WORKERS; else one process does everything)'

async function runServer(
  run: (ownTerminal: ReturnType<typeof openTerminal>) => Promise<number>,
): Promise<void> {
  const ownTerminal = openTerminal()
  try {
    process.exitCode = await run(ownTerminal)
  } finally {
    await ownTerminal.close()
  }
}

/** Adds commands that need only the configuration file. */
function registerFileCommands(program: Command, flags: () => ConfigFlags, io: CommandIo): void {
  program
    .command('check')
    .description('check the configuration and list everything that is wrong with it')
    .option('--json', 'print one JSON object')
    .action(async ({ json: isJson = false }: { json?: boolean }) => {
      const input = await runCommand(io, () => systemLoadInput(flags()))
      if (input !== undefined) process.exitCode = await checkCommand(input, terminal, { isJson })
    })
  program
    .command('init')
    .description('write a commented configuration file to start from')
    .argument('[file]', 'headgate.yaml if not given; an existing file is not overwritten')
    .action((file: string | undefined) => {
      process.exitCode = initCommand(file, terminal)
    })
}

function registerHealthCommand(program: Command, context: CommandContext): void {
  program
    .command('health')
    .description('ask the server of the data folder whether it is alive')
    .option('--ready', 'ask whether it accepts requests')
    .option('--channels', 'show the health of channels, credentials and models')
    .option('--reset <channel>', 'forget the health of a channel, so that it is used again at once')
    .option('--json', 'print JSON, with --channels or --reset')
    .action(async ({ ready = false, channels, reset, json: isJson = false }: HealthFlags) => {
      if (channels === true || reset !== undefined) return channelHealthCommand({ reset, isJson }, context)
      const { dataFolder } = context
      process.exitCode = await healthCommand({ dataFolder, isReady: ready }, terminal)
    })
}

function processIo(): CommandIo {
  return {
    write: (text) => printText(process.stdout, text),
    writeError: (text) => printText(process.stderr, text),
    isTerminal: process.stdout.isTTY === true,
    hasReader: () => isRead,
    showProgress: process.stderr.isTTY === true ? showLine : undefined,
    setExitCode: (code) => {
      process.exitCode = code
    },
  }
}

/** Replaces the current line: moves to its beginning and clears the rest. */
function showLine(line: string): void {
  process.stderr.write(`\r\u001b[K${line}`)
}

/** A signal that the first Ctrl-C aborts. The second Ctrl-C ends the process as usual. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  return controller.signal
}

/** Waits for a signal and keeps the process alive, even without a listener. */
function untilSignal(): Promise<void> {
  const { port1: anchor } = new MessageChannel()
  anchor.ref()
  return new Promise((resolve) => {
    const end = () => {
      anchor.close()
      resolve()
    }
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
  })
}

function readVersion(): string {
  const file = findPackageJSON(import.meta.url)
  const value: unknown = file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8'))
  return typeof value === 'object' && value !== null && 'version' in value ? String(value.version) : 'unknown'
}

/** Writes the message for unknown commands, with the nearest command before the other words. */
function describeUnknownCommand(program: Command, words: readonly string[]): string {
  const [unknown = '', ...rest] = words
  const names = program.commands.map((command) => command.name())
  const nearest = nearestName(unknown, names)
  if (nearest === undefined) return `there is no command "${unknown}"; "headgate --help" lists them`
  return `there is no command "${unknown}"; did you mean "headgate ${[nearest, ...rest].join(' ')}"?`
}
