import type { Command } from 'commander'
import {
  channelListSchema,
  channelViewSchema,
  objectListSchema,
  objectViewSchema,
} from '../../admin/config/config-contract.ts'
import { groupListSchema, groupViewSchema } from '../../admin/groups/group-contract.ts'
import { isJsonObject } from '../../kit/json/json.ts'
import { addToList } from '../options/option-values.ts'
import type { TableColumn } from '../output/write-table.ts'
import type { AnswerSchema } from '../remote/call-server.ts'

export type ObjectRow = { readonly name: string; readonly owner: string } & Readonly<Record<string, unknown>>

/** The commands on one kind of object. */
export interface ObjectCommands {
  readonly word: string
  /** The name of the commands, which is also the path of the routes. */
  readonly path: string
  readonly columns: readonly TableColumn<ObjectRow>[]
  readonly sorts: readonly string[]
  readonly one: AnswerSchema<ObjectRow>
  readonly list: AnswerSchema<{ readonly data: readonly ObjectRow[]; readonly next_after: string | null }>
  readonly showDescription: string
  /** An example of a field and a value for `--set`. */
  readonly settable: string
  /** Adds the options that set the object's fields. */
  readonly addOptions: (command: Command) => Command
}

export const channelCommands: ObjectCommands = {
  word: 'channel',
  path: 'channels',
  sorts: ['name', 'provider', 'priority'],
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

export const modelCommands: ObjectCommands = {
  word: 'model',
  path: 'models',
  sorts: ['name'],
  one: objectViewSchema,
  list: objectListSchema,
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

const limitColumns: readonly TableColumn<ObjectRow>[] = [
  ['BUDGETS', (view) => writeBudgets(view['budgets'])],
  ['RATE', (view) => writeFields(view['rate'])],
]

const addLimitOptions = (command: Command): Command =>
  command.option(
    '--budget <usd/window>',
    'what may be spent, such as 5/day or 50/month; repeat for more',
    addToList,
  )

export const groupCommands: ObjectCommands = {
  word: 'group',
  path: 'groups',
  sorts: ['name', 'members', 'keys'],
  one: groupViewSchema,
  list: groupListSchema,
  showDescription: 'show a group: what its keys may use, its limits, how many members and keys it has',
  settable: 'rate.rpm=60',
  columns: [
    ['NAME', ({ name }) => name],
    ['MODELS', (view) => writeNames(view['models'] ?? ['*'])],
    ['MULTIPLIER', (view) => write(view['multiplier'])],
    ...limitColumns,
    ['MEMBERS', (view) => write(view['members']), 'right'],
    ['MANAGERS', (view) => writeNames(view['managers'])],
    ['KEYS', (view) => write(view['keys']), 'right'],
    ['OWNER', ({ owner }) => owner],
  ],
  addOptions: (command) =>
    addLimitOptions(command)
      .option('--models <names>', 'public names, and patterns such as qwen*, separated by commas')
      .option('--multiplier <factor>', 'what its keys are charged for a dollar of cost'),
}

export const userLimitCommands: ObjectCommands = {
  word: 'user limit',
  path: 'user-limits',
  sorts: ['name'],
  one: objectViewSchema,
  list: objectListSchema,
  showDescription: 'show what limits all keys of a user together',
  settable: 'rate.rpm=60',
  columns: [['NAME', ({ name }) => name], ...limitColumns, ['OWNER', ({ owner }) => owner]],
  addOptions: addLimitOptions,
}

export const budgetCommands: Pick<ObjectCommands, 'word' | 'path' | 'one' | 'settable' | 'addOptions'> = {
  word: 'budget',
  path: 'budgets',
  one: objectViewSchema,
  settable: 'warn_at=[50,90]',
  addOptions: (command) =>
    command
      .option('--scope <scope>', 'such as installation, model:gpt-4o, channel:openai or tag:team=search')
      .option('--limit <usd>', 'US dollars, or unlimited')
      .option('--window <window>', 'such as day, month, total or "rolling 5h"')
      .option('--mode <mode>', 'exact, estimate or observe'),
}

function write(value: unknown): string {
  return value === undefined || value === null ? '' : String(value)
}

function writeNames(value: unknown): string {
  if (Array.isArray(value)) return value.map(writeName).join(',')
  return typeof value === 'object' && value !== null ? Object.keys(value).join(',') : write(value)
}

/** Writes a target with its share in the form of `--targets`. */
function writeName(value: unknown): string {
  if (!isJsonObject(value)) return write(value)
  return value['weight'] === undefined
    ? write(value['use'])
    : `${write(value['use'])}=${write(value['weight'])}`
}

function writeBudgets(value: unknown): string {
  if (!Array.isArray(value)) return ''
  return value
    .map((each) => (isJsonObject(each) ? `${write(each['limit_usd'])}/${write(each['window'])}` : ''))
    .join(',')
}

function writeFields(value: unknown): string {
  if (!isJsonObject(value)) return ''
  return Object.entries(value)
    .map(([name, each]) => `${name}=${String(each)}`)
    .join(',')
}
