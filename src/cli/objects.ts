import type { Command } from 'commander'
import {
  channelListSchema,
  channelViewSchema,
  modelListSchema,
  modelViewSchema,
} from '../admin/config-contract.ts'
import type { JsonObject } from '../kit/json.ts'
import type { AnswerSchema } from './call-server.ts'
import type { KeysContext } from './keys.ts'
import { type ObjectOptions, readOrder } from './read-order.ts'
import { withServer } from './with-server.ts'
import { type TableColumn, writeTable } from './write-table.ts'

type View = { readonly name: string; readonly owner: string } & Readonly<Record<string, unknown>>

interface ObjectCommands {
  readonly word: 'channel' | 'model'
  readonly columns: readonly TableColumn<View>[]
  readonly one: AnswerSchema<View>
  readonly list: AnswerSchema<{ readonly data: readonly View[] }>
  /** The options that set its fields. */
  readonly addOptions: (command: Command) => Command
}

const channels: ObjectCommands = {
  word: 'channel',
  one: channelViewSchema,
  list: channelListSchema,
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
      .option('--base-url <url>', "where it is reached, unless that is the provider's own address")
      .option('--format <format>', 'chat or messages, where the provider speaks several')
      .option('--models <names>', 'public names, with commas between; * for all that the upstream lists')
      .option('--priority <number>', 'higher goes first')
      .option('--weight <number>', 'share inside one priority')
      .option('--key-env <variable>', 'take the key from this variable of the environment')
      .option('--key-file <file>', 'take the key from this file; - is standard input'),
}

const models: ObjectCommands = {
  word: 'model',
  one: modelViewSchema,
  list: modelListSchema,
  columns: [
    ['NAME', ({ name }) => name],
    ['TARGETS', (view) => writeNames(view['targets'])],
    ['FALLBACK', (view) => writeNames(view['fallback'])],
    ['STRATEGY', (view) => write(view['strategy'])],
    ['OWNER', ({ owner }) => owner],
  ],
  addOptions: (command) =>
    command
      .option('--targets <targets>', 'channel/model each, with commas between')
      .option('--fallback <names>', 'public names that are tried after them, with commas between')
      .option('--strategy <strategy>', 'how targets of one priority are ordered'),
}

/** Adds `headgate channels …` and `headgate models …`, carried out by the running server. */
export function registerObjectCommands(program: Command, context: KeysContext): void {
  const channelCommands = registerKind(program, context, channels)
  registerKind(program, context, models)
  for (const name of ['disable', 'enable']) {
    channelCommands
      .command(name)
      .description(
        name === 'disable' ? 'serve nothing by a channel until it is enabled' : 'let it serve again',
      )
      .argument('<name>')
      .option('--json', 'answer in JSON')
      .action((channel: string, { json }: { readonly json?: true }) =>
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
    .option('--json', 'answer in JSON')
    .action(({ json }: { readonly json?: true }) =>
      withServer(context, async (call) => {
        const list = await call({ method: 'GET', path: `/${word}s` }, kind.list)
        context.io.write(json ? writeJson(list) : writeTable(kind.columns, list.data))
      }),
    )
  registerShow(commands, context, kind)
  registerWrite(commands, context, kind, 'add')
  registerWrite(commands, context, kind, 'edit')
  return commands
}

function registerShow(commands: Command, context: KeysContext, { word, one }: ObjectCommands): void {
  for (const [name, method] of [
    ['show', 'GET'],
    ['remove', 'DELETE'],
  ] as const) {
    commands
      .command(name)
      .description(
        name === 'show' ? `show a ${word}, keys by their last four characters` : `delete a ${word}`,
      )
      .argument('<name>')
      .option('--json', 'answer in JSON')
      .action((object: string, { json }: { readonly json?: true }) =>
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
  { word, one, addOptions }: ObjectCommands,
  name: 'add' | 'edit',
): void {
  const command = commands
    .command(name)
    .description(name === 'add' ? `make a ${word}` : `change some fields of a ${word}`)
    .argument('<name>')
  addOptions(command)
    .option('--set <field=value>', 'any field, such as timeouts.idle=90s; repeat for more', addToList)
    .option('--from <file>', 'fields from a file of YAML or JSON; - is standard input')
    .option('--json', 'answer in JSON')
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
        const done = name === 'add' ? 'made' : 'changed'
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
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'object' && value !== null ? Object.keys(value).join(',') : write(value)
}

function writeJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
