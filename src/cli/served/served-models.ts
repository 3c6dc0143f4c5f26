import type { Command } from 'commander'
import { type ServedModelView, servedModelListSchema } from '../../admin/models/catalog-contract.ts'
import { type ExplainedRoute, explainedRouteSchema } from '../../admin/models/route-contract.ts'
import { plainLine } from '../../kit/bytes/plain-text.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { CommandContext } from '../command-context.ts'
import { addPageOptions, type PageOptions, writeMore } from '../options/page-options.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { readObjectFile } from '../remote/read-object.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'

const columns: readonly TableColumn<ServedModelView>[] = [
  ['NAME', ({ name }) => name],
  ['ALIAS', ({ alias }) => (alias ? 'yes' : '')],
  [
    'TARGETS',
    ({ targets }) => (targets ?? []).map((each) => `${each.channel}/${each.upstream_model}`).join(','),
  ],
  ['FALLBACKS', ({ fallbacks }) => (fallbacks ?? []).join(',')],
  ['STRATEGY', ({ strategy }) => strategy ?? ''],
  ['USD OF 1M IN/OUT', ({ charged }) => charged.flatMap(describeRates).join(',')],
]

function describeRates({ input, output }: ServedModelView['charged'][number]): readonly string[] {
  return typeof input === 'number' && typeof output === 'number' ? [`${input}/${output}`] : []
}

interface ServedOptions extends JsonChoice, PageOptions {
  readonly search?: string
  readonly key?: string
  readonly channel?: string
}

/** Adds commands to `headgate models …` that show the served catalog, and where a request would go. */
export function registerServedCommands(models: Command, context: CommandContext): void {
  registerServed(models, context)
  registerRoute(models, context)
}

function registerServed(models: Command, context: CommandContext): void {
  const { io } = context
  const command = models
    .command('served')
    .description('list every public name that is served with its targets, a page at a time')
    .option('--search <text>', 'a part of the name')
    .option('--key <id|name>', 'what this key may use')
    .option('--channel <name>', 'what has a target on this channel')
  addPageOptions(command, ['name'])
    .option('--json', 'print JSON')
    .action(({ json, search, ...options }: ServedOptions) =>
      withServer(context, async (call) => {
        const path = `/catalog${writeQuery({ q: search, ...options })}`
        const list = await call({ method: 'GET', path }, servedModelListSchema)
        if (json) return io.write(writeJson(list))
        io.write(writeTable(columns, list.data))
        for (const channel of list.unlisted)
          io.writeError(`The list of models of channel ${channel} could not be read yet.\n`)
        writeMore(list.next_after, io)
      }),
    )
}

interface RouteOptions extends JsonChoice {
  readonly key?: string
  readonly format?: string
  readonly stream?: true
  readonly body?: string
}

function registerRoute(models: Command, context: CommandContext): void {
  models
    .command('route')
    .description('show where a request for a model would go, and why; no provider is called')
    .argument('<model>', 'a public name')
    .option('--key <id|name>', 'the key that asks; without one, every model may be used')
    .option(
      '--format <format>',
      'chat, messages, responses, gemini, completions or embeddings (default chat)',
    )
    .option('--stream', 'of a request for a stream')
    .option('--body <file>', 'of a request with this JSON body; - is standard input')
    .option('--json', 'print JSON')
    .action((model: string, { json, body: file, ...options }: RouteOptions) =>
      withServer(context, async (call) => {
        const body = file === undefined ? undefined : readObjectFile(file)
        const input = omitUndefined({ model, ...options, body })
        const route = await call({ method: 'POST', path: '/route', body: input }, explainedRouteSchema)
        context.io.write(json ? writeJson(route) : explain(route))
      }),
    )
}

type Planned = Pick<
  ExplainedRoute['excluded'][number],
  'channel' | 'upstream_model' | 'credential' | 'public_name'
>

function explain({ model, strategy, candidates, excluded }: ExplainedRoute): string {
  const lines = [
    `${model} (${strategy})`,
    ...(candidates.length === 0
      ? ['  nothing can be asked at this moment']
      : ['  would be asked, in this order:']),
    ...candidates.map((each, index) => `    ${index + 1}. ${nameTarget(each, model)}: ${describeLane(each)}`),
    ...(excluded.length === 0 ? [] : ['  left out:']),
    ...excluded.map((each) => `    ${nameTarget(each, model)}: ${each.reason}${writeWait(each.for_seconds)}`),
  ]
  return lines.map((line) => `${plainLine(line)}\n`).join('')
}

function nameTarget({ channel, upstream_model, credential, public_name }: Planned, model: string): string {
  const by = credential === undefined ? '' : ` with credential ${credential}`
  return `${channel}/${upstream_model}${by}${public_name === model ? '' : ` as ${public_name}`}`
}

function describeLane({ lane, loss, error, probe }: ExplainedRoute['candidates'][number]): string {
  if (error !== undefined) return `cannot be asked: ${error.message}`
  const lost = loss === undefined || loss === '' ? '' : `, loses ${loss}`
  return `${lane}${lost}${probe ? ', as the probe of a half-open circuit breaker' : ''}`
}

function writeWait(seconds: number | undefined): string {
  return seconds === undefined ? '' : `, for ${seconds} s`
}
