import type { Command } from 'commander'
import type {
  ListRequests,
  RequestLogOperations,
  RequestSummaryView,
} from '../admin/requests/request-contract.ts'
import { OperatorError } from '../canonical/operator-error.ts'
import { plainLine } from '../kit/bytes/plain-text.ts'
import { omitUndefined } from '../kit/json/omit-undefined.ts'
import { pause } from '../kit/time/clock.ts'
import type { CommandContext } from './command-context.ts'
import { describeOffline } from './open-existing-folder.ts'
import { readTime } from './options/read-time.ts'
import type { CommandIo } from './output/command-io.ts'
import { createWarningWriter } from './output/create-warning-writer.ts'
import { explainRequest } from './output/explain-request.ts'
import { runCommand } from './output/run-command.ts'
import { ServerRefusedError } from './output/server-refused-error.ts'
import { writeUsdNumber } from './output/usd.ts'
import { writeJson } from './output/write-json.ts'
import { writeUtcTime } from './output/write-utc-time.ts'
import { ConnectionRefusedError } from './remote/call-server.ts'
import { type ReachedRequests, reachRequests, reachRequestsAgain } from './remote/reach-requests.ts'

interface LogsOptions {
  readonly key?: string
  readonly group?: string
  readonly model?: string
  readonly channel?: string
  readonly status?: string
  readonly error?: string
  readonly captured?: true
  readonly minMs?: string
  readonly since?: string
  readonly until?: string
  readonly limit?: string
  readonly json?: true
  readonly follow?: true
}

const FOLLOW_EVERY_MS = 1_000
const FOLLOW_LIMIT = '500'

/** Adds `headgate logs`. On failure it prints the reason in one line and sets the exit code to 1. */
export function registerLogsCommand(program: Command, context: CommandContext): void {
  const logs = program
    .command('logs')
    .description('list ended requests, newest last')
    .option('--key <id|name>', 'made with this key')
    .option('--group <group>', 'made with a key of this group')
    .option('--model <name>', 'for this public model name')
    .option('--channel <name>', 'answered by this channel, or an attempt on it failed')
    .option('--status <status>', 'with this status, such as 429, or class, such as 5xx')
    .option('--error <code>', 'with this error code')
    .option('--captured', 'whose prompt or answer is stored for reading')
    .option('--min-ms <ms>', 'that took at least this many milliseconds')
    .option('--since <time>', 'ended since this time, or this long ago, such as 30m', readTime)
    .option('--until <time>', 'ended until this time', readTime)
    .option('--limit <count>', 'number of requests, at most 500 (default 50)')
    .option('--follow', 'keep printing requests as they end')
    .option('--json', 'print one JSON object per line')
    .action((options: LogsOptions) => withRequests(context, (reached) => list(reached, options, context)))
  logs
    .command('show')
    .description('explain one request: the plan, the attempts and the outcome')
    .argument('<request-id>', "the value of the answer's x-request-id header")
    .option('--json', 'print JSON')
    .action((requestId: string, _options: object, command: Command) =>
      withRequests(context, async ({ operations }) => {
        const request = await operations.get(requestId)
        const isJson = command.optsWithGlobals<LogsOptions>().json === true
        context.io.write(isJson ? writeJson(request) : explainRequest(request))
      }),
    )
}

async function list(
  { operations, isFromServer }: ReachedRequests,
  options: LogsOptions,
  { io, dataFolder, adminToken }: CommandContext,
): Promise<void> {
  if (options.follow && !isFromServer) {
    throw new OperatorError(
      'server_not_running',
      'no server runs on this data folder, so no request will end',
      { advice: 'leave out --follow' },
    )
  }
  const { json, follow, captured, minMs, limit, ...filter } = options
  const query: ListRequests = omitUndefined({
    ...filter,
    ...(captured && { captured: 'true' as const }),
    min_ms: minMs,
    limit,
  })
  const { data } = await operations.list(query)
  const write = (requests: readonly RequestSummaryView[]) => {
    for (const request of requests.toReversed()) {
      io.write(json ? `${JSON.stringify(request)}\n` : writeRequestLine(request))
    }
  }
  if (data.length === 0 && !follow) return io.writeError('No request matches.\n')
  if (!json) io.write(writeRequestTitle())
  write(data)
  const reachAgain = () => reachRequestsAgain(dataFolder(), adminToken())
  if (follow) await followOn({ operations, reachAgain, query, write, io, after: data[0]?.id ?? 0 })
}

interface Following {
  readonly operations: RequestLogOperations
  readonly query: ListRequests
  readonly write: (requests: readonly RequestSummaryView[]) => void
  readonly reachAgain: () => Promise<RequestLogOperations | undefined>
  readonly io: Pick<CommandIo, 'hasReader' | 'writeError'>
  readonly after: number
}

/**
 * Follows the log until the process ends, or the reader of the output is gone. While the server is restarted, it waits.
 * Each server proves its identity first, since another program can have the port by then.
 */
async function followOn({ reachAgain, query, write, io, ...start }: Following): Promise<void> {
  let operations: RequestLogOperations | undefined = start.operations
  for (let last = start.after; io.hasReader?.() !== false; ) {
    await pause(FOLLOW_EVERY_MS)
    const known = operations
    try {
      operations ??= await reachAgain()
      if (operations === undefined) continue
      const fresh = await readAfter(operations, query, last)
      write(fresh)
      last = fresh[0]?.id ?? last
    } catch (error) {
      if (!isAway(error)) throw error
      operations = undefined
      if (known !== undefined) io.writeError(`headgate: ${AWAY}\n`)
    }
  }
}

const AWAY = 'the server does not serve at the moment; requests are printed again once it does'

/** Whether the server ends or is gone. A filter that it refuses has ended the command at the first call. */
function isAway(error: unknown): boolean {
  if (error instanceof ConnectionRefusedError || error instanceof ServerRefusedError) return true
  return error instanceof OperatorError && error.code === 'server_unreachable'
}

/** Reads all requests that ended since then, page by page, newest first. */
async function readAfter(
  operations: RequestLogOperations,
  query: ListRequests,
  after: number,
): Promise<readonly RequestSummaryView[]> {
  const fresh: RequestSummaryView[] = []
  for (let before: string | undefined; ; ) {
    const cursor = omitUndefined({ after: String(after), before })
    const { data, next } = await operations.list({ ...query, ...cursor, limit: FOLLOW_LIMIT })
    fresh.push(...data)
    if (next === null) return fresh
    before = String(next)
  }
}

async function withRequests(
  { dataFolder, adminToken, io }: CommandContext,
  work: (reached: ReachedRequests) => Promise<void>,
): Promise<void> {
  await runCommand(io, async () => {
    await using cleanup = new AsyncDisposableStack()
    const folder = dataFolder()
    const reached = await reachRequests(folder, adminToken(), createWarningWriter(io))
    cleanup.defer(() => reached.close())
    if (!reached.isFromServer) io.writeError(describeOffline(folder))
    await work(reached)
  })
}

type Column = readonly [title: string, width: number, cell: (request: RequestSummaryView) => string]

/** The widths are fixed, so that later lines align with earlier ones. A longer value shifts only its own line. */
const columns: readonly Column[] = [
  ['ENDED (UTC)', 19, ({ ended_at }) => writeUtcTime(ended_at)],
  ['STATUS', 6, ({ status }) => String(status)],
  ['MS', 7, ({ total_ms }) => String(total_ms)],
  ['KEY', 12, ({ key }) => key ?? ''],
  ['MODEL', 20, ({ model }) => model ?? ''],
  ['CHANNEL', 14, ({ channel }) => channel ?? ''],
  ['TOKENS', 12, ({ input_tokens, output_tokens }) => writeTokens(input_tokens, output_tokens)],
  ['CACHED', 7, ({ cache_read_tokens: cached }) => (cached === null ? '' : String(cached))],
  ['COST USD', 11, ({ cost_usd: cost }) => (cost === null ? '' : writeUsdNumber(cost))],
  ['ERROR', 22, ({ error }) => error ?? ''],
  ['REQUEST', 0, ({ request_id }) => request_id],
]

function writeRequestTitle(): string {
  return writeLine(columns.map(([title]) => title))
}

function writeRequestLine(request: RequestSummaryView): string {
  return writeLine(columns.map(([, , cell]) => plainLine(cell(request)) || '-'))
}

function writeLine(cells: readonly string[]): string {
  const padded = cells.map((cell, index) => cell.padEnd(columns[index]?.[1] ?? 0))
  return `${padded.join('  ').trimEnd()}\n`
}

function writeTokens(input: number | null, output: number | null): string {
  return input === null && output === null ? '' : `${input ?? 0}+${output ?? 0}`
}
