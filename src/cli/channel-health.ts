import { type HealthView, healthViewSchema } from '../admin/health-contract.ts'
import { plainLine } from '../kit/bytes/plain-text.ts'
import type { CommandContext } from './command-context.ts'
import { writeJson } from './output/write-json.ts'
import { writeTable } from './output/write-table.ts'
import { withServer } from './remote/with-server.ts'

export interface ChannelHealthOptions {
  /** The channel whose health is reset first. */
  readonly reset?: string | undefined
  readonly isJson: boolean
}

/**
 * `headgate health --channels`: prints the health of channels, credentials and models, from the running server. The
 * exit code is 1 while a problem needs an operator.
 */
export async function channelHealthCommand(
  { reset, isJson }: ChannelHealthOptions,
  context: CommandContext,
): Promise<void> {
  await withServer(context, async (call) => {
    const view =
      reset === undefined
        ? await call({ method: 'GET', path: '/health' }, healthViewSchema)
        : await call({ method: 'POST', path: '/health/reset', body: { channel: reset } }, healthViewSchema)
    context.io.write(isJson ? writeJson(view) : writeHealth(view))
    if (reset === undefined && view.data.some((line) => line.needs_operator)) context.io.setExitCode(1)
  })
}

type Line = HealthView['data'][number]

function writeHealth(view: HealthView): string {
  const unhealthy = view.data.filter(({ state }) => state !== 'healthy')
  const channels = writeTable(
    [
      ['CHANNEL', ({ name }) => name],
      [
        'STATE',
        ({ name, models_list: list }) =>
          list?.known === false
            ? 'no models'
            : summarize(unhealthy.filter(({ channel }) => channel === name)),
      ],
      [
        'CALLS',
        ({ calls_in_flight: calls, concurrency }) =>
          concurrency === null ? `${calls}` : `${calls}/${concurrency}`,
      ],
      ['LATENCY', ({ models }) => writeLatency(models.map((model) => model.stream_ms ?? model.whole_ms))],
    ],
    view.channels,
  )
  const waiting =
    view.queue === null || view.queue.waiting === 0 ? '' : `\n${view.queue.waiting} requests are queued.\n`
  const lists = writeUnreadLists(view)
  return unhealthy.length === 0
    ? channels + waiting + lists
    : `${channels}${waiting}${lists}\n${writeUnwell(unhealthy)}`
}

function writeUnreadLists({ channels }: HealthView): string {
  const unread = channels.filter(({ models_list: list }) => list !== null && list.error !== null)
  const lines = unread.map(({ name, models_list: list }) => {
    const effect =
      list?.known === true ? 'the list from before is in use' : 'none of its models can be served'
    return plainLine(`The list of models of channel ${name} cannot be read, so ${effect}: ${list?.error}`)
  })
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`
}

function writeUnwell(lines: readonly Line[]): string {
  return writeTable(
    [
      ['CHANNEL', ({ channel }) => channel],
      ['CREDENTIAL', ({ credential }) => credential ?? ''],
      ['MODEL', ({ upstream_model: model }) => model ?? ''],
      ['STATE', ({ state }) => state],
      ['REASON', writeReason],
      ['SINCE', ({ since }) => since ?? ''],
      ['COOLDOWN', ({ wait_ms: waitMs }) => (waitMs === 0 ? '' : `${Math.ceil(waitMs / 1_000)} s`)],
    ],
    lines,
  )
}

function writeReason({ reason, operations }: Line): string {
  if (reason === null) return ''
  return operations === null ? reason : `${reason} (${operations.join(', ')})`
}

function summarize(unhealthy: readonly Line[]): string {
  return unhealthy.length === 0
    ? 'healthy'
    : (unhealthy.find(({ scope }) => scope === 'channel')?.state ?? 'degraded')
}

/** Writes the latency of a channel's slowest model. */
function writeLatency(measured: readonly (number | null)[]): string {
  const known = measured.filter((ms) => ms !== null)
  return known.length === 0 ? '' : `${Math.max(...known)} ms`
}
