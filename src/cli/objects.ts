import type { Command } from 'commander'
import {
  channelListSchema,
  channelViewSchema,
  modelListSchema,
  modelViewSchema,
} from '../admin/config/config-contract.ts'
import { isJsonObject, type JsonObject } from '../kit/json/json.ts'
import type { KeysContext } from './keys.ts'
import { type JsonChoice, writeJson } from './output/write-json.ts'
import { type TableColumn, writeTable } from './output/write-table.ts'
import type { AnswerSchema } from './remote/call-server.ts'
import { type ObjectOptions, readOrder } from './remote/read-order.ts'
import { withServer } from './remote/with-server.ts'

type View = { readonly name: string; readonly owner: string } & Readonly<Record<string, unknown>>

interface ObjectCommands {
  readonly word: 'channel' | 'model'
  readonly columns: readonly TableColumn<View>[]
  readonly one: AnswerSchema<View>
  readonly list: AnswerSchema<{ readonly data: readonly View[] }>
  readonly showDescription: string
  /** A field and a value, as an example for `--set`. */
  readonly settable: string
  /** The options that set its fields. */
  readonly addOptions: (command: Command) => Command
}

const channels: ObjectCommands = {
  word: 'channel',
  one: channelViewSchema,
  list: channelListSchema,
  showDescription: 'show a channel; secrets by their last four characters',
  settable: 'timeouts.idle=90s',
  columns: [
    ['NAME', ({ name }) => name],
    ['PROVIDER', (view) => String(view['provider'])],
    ['ADDRESS', (view) => write(view['base_url'])],
    ['MODELS', (view) => writeNames(view['models'])],
    ['PRIORITY', (view) => write(view['priority'])],
    ['WEIGHT', (view) => write(view['weight'])],
    ['STATUS', (view) => (view['disabled'] === true ? 'disabled' : 'enabled')],
    ['OWNER', ({ owner }) => owner],
  ],
  addOptions: (command) =>
    command
      .option('--provider <id>', 'such as openai or openai-compatible')
      .option('--base-url <url>', "the address, unless it is the provider's own")
      .option(
        '--format <format>',
        'chat, messages, responses, gemini, cohere or converse, where the provider speaks several',
      )
      .option(
        '--models <names>',
        'public names, separated by commas; * for every model that the upstream lists',
      )
      .option('--priority <number>', 'higher goes first')
      .option('--weight <number>', 'share within one priority')
      .option('--key-env <variable>', 'read the key from this environment variable')
      .option('--key-file <file>', 'read the key from this file; - is standard input'),
}

const models: ObjectCommands = {
  word: 'model',
  one: modelViewSchema,
  list: modelListSchema,
  showDescription: 'show a model: its targets, fallbacks and facts',
  settable: 'context_window=128000',
  columns: [
    ['NAME', ({ name }) => name],
    ['TARGETS', (view) => writeNames(view['targets'])],
    ['FALLBACK', (view) => writeNames(view['fallback'])],
    ['STRATEGY', (view) => write(view['strategy'])],
    ['OWNER', ({ owner }) => owner],
  ],
  addOptions: (command) =>
    command
      .option('--targets <targets>', 'channel/model, or channel/model=weight, separated by commas')
      .option('--fallback <names>', 'public names to try after them, separated by commas')
      .option(
        '--strategy <strategy>',
        'how targets of one priority are ordered: priority-weighted, least-latency, least-busy or cheapest',
      ),
}

/** Adds `headgate channels …` and `headgate models …`, carried out by the running server. */
export function registerObjectCommands(program: Command, context: KeysContext): void {
  const channelCommands = registerKind(program, context, channels)
  registerKind(program, context, models)
  for (const name of ['disable', 'enable']) {
    channelCommands
      .command(name)
      .description(
        name === 'disable'
          ? 'take a channel out of rotation until it is enabled'
          : 'put a disabled channel back into rotation',
      )
      .argument('<name>')
      .option('--json', 'print JSON')
      .action((channel: string, { json }: JsonChoice) =>
        withServer(context, async (call) => {
          const path = `/channels/${encodeURIComponent(channel)}/${name}`
          const view = await call({ method: 'POST', path }, channelViewSchema)
          context.io.write(json ? writeJson(view) : `The channel "${channel}" is ${name}d.\n`)
        }),
      )
  }
}

function registerKind(program: Command, context: KeysContext, kind: ObjectCommands): Command {
  const { word } = kind
  const commands = program
    .command(`${word}s`)
    .description(`list and change the ${word}s of the running server`)
  commands
    .command('list')
    .description(`list the ${word}s of the configuration`)
    .option('--json', 'print JSON')
    .action(({ json }: JsonChoice) =>
      withServer(context, async (call) => {
        const list = await call({ method: 'GET', path: `/${word}s` }, kind.list)
        context.io.write(json ? writeJson(list) : writeTable(kind.columns, list.data))
      }),
    )
  registerShow(commands, context, kind)
  registerWrite(commands, context, { ...kind, name: 'add' })
  registerWrite(commands, context, { ...kind, name: 'edit' })
  return commands
}

function registerShow(
  commands: Command,
  context: KeysContext,
  { word, one, showDescription }: ObjectCommands,
): void {
  for (const [name, method] of [
    ['show', 'GET'],
    ['remove', 'DELETE'],
  ] as const) {
    commands
      .command(name)
      .description(name === 'show' ? showDescription : `delete a ${word}`)
      .argument('<name>')
      .option('--json', 'print JSON')
      .action((object: string, { json }: JsonChoice) =>
        withServer(context, async (call) => {
          const view = await call({ method, path: `/${word}s/${encodeURIComponent(object)}` }, one)
          const isShown = name === 'show' || json === true
          context.io.write(isShown ? writeJson(view) : `The ${word} "${object}" is removed.\n`)
        }),
      )
  }
}

function registerWrite(
  commands: Command,
  context: KeysContext,
  { word, one, addOptions, settable, name }: ObjectCommands & { readonly name: 'add' | 'edit' },
): void {
  const command = commands
    .command(name)
    .description(name === 'add' ? `add a ${word}` : `change some fields of a ${word}`)
    .argument('<name>')
  addOptions(command)
    .option('--set <field=value>', `any field, such as ${settable}; repeat for more`, addToList)
    .option('--from <file>', 'read fields from a YAML or JSON file; - is standard input')
    .option('--json', 'print JSON')
    .action((object: string, options: ObjectOptions & { readonly json?: true }) =>
      withServer(context, async (call) => {
        const order: JsonObject = readOrder(options)
        const view =
          name === 'add'
            ? await call({ method: 'POST', path: `/${word}s`, body: { ...order, name: object } }, one)
            : await call(
                { method: 'PATCH', path: `/${word}s/${encodeURIComponent(object)}`, body: order },
                one,
              )
        const done = name === 'add' ? 'added' : 'changed'
        context.io.write(options.json ? writeJson(view) : `The ${word} "${view.name}" is ${done}.\n`)
      }),
    )
}

function addToList(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

function write(value: unknown): string {
  return value === undefined ? '' : String(value)
}

function writeNames(value: unknown): string {
  if (Array.isArray(value)) return value.map(writeName).join(',')
  return typeof value === 'object' && value !== null ? Object.keys(value).join(',') : write(value)
}

/** A target with its share as `--targets` takes it. */
function writeName(value: unknown): string {
  if (!isJsonObject(value)) return write(value)
  return value['weight'] === undefined
    ? write(value['use'])
    : `${write(value['use'])}=${write(value['weight'])}`
}
