import type { Command } from 'commander'
import {
  type CreatedKey,
  type KeyOperations,
  type KeyView,
  type ListedKey,
  type ListKeys,
  listKeysSchema,
} from '../admin/keys/key-contract.ts'
import { rotateKeySchema } from '../admin/keys/key-input-schema.ts'
import { checkInput } from '../admin/read-input.ts'
import { plainLine } from '../kit/bytes/plain-text.ts'
import { omitUndefined } from '../kit/json/omit-undefined.ts'
import type { CommandContext } from './command-context.ts'
import { addKeyOptions, type KeyOptions, readCreateOptions, readEditOptions } from './key-options.ts'
import { describeOffline } from './open-existing-folder.ts'
import { addPageOptions, type PageOptions, writeMore } from './options/page-options.ts'
import type { CommandIo } from './output/command-io.ts'
import { createWarningWriter } from './output/create-warning-writer.ts'
import { runCommand } from './output/run-command.ts'
import { writeUsdNumber } from './output/usd.ts'
import { writeEffects } from './output/write-effects.ts'
import { type JsonChoice, writeJson } from './output/write-json.ts'
import { type TableColumn, writeTable } from './output/write-table.ts'
import { reachKeys } from './remote/call-key-operations.ts'

/** Adds `headgate keys …`. On failure a command prints the reason in one line and sets the exit code to 1. */
export function registerKeysCommand(program: Command, context: CommandContext): void {
  const keys = program
    .command('keys')
    .description('create, list, change, rotate, disable and revoke the keys of callers')
  registerCreate(keys, context)
  registerList(keys, context)
  registerShow(keys, context)
  registerEdit(keys, context)
  registerRotate(keys, context)
  registerChange(keys, context, {
    name: 'revoke',
    description: 'revoke a key for good; its next request fails',
    change: (operations, reference) => operations.revoke(reference),
  })
  registerChange(keys, context, {
    name: 'disable',
    description: 'reject a key until it is enabled again',
    change: (operations, reference) => operations.change(reference, { disabled: true }),
  })
  registerChange(keys, context, {
    name: 'enable',
    description: 'accept a disabled key again',
    change: (operations, reference) => operations.change(reference, { disabled: false }),
  })
}

function registerCreate(keys: Command, context: CommandContext): void {
  const command = keys
    .command('create')
    .description('create a key and print its secret, once')
    .requiredOption('--name <name>', 'the name of the key')
  addKeyOptions(command)
    .option('--json', 'print JSON')
    .action(async ({ json, ...options }: KeyOptions & JsonChoice) => {
      const order = await runCommand(context.io, () => readCreateOptions(options))
      if (order === undefined) return
      const created = await withKeys(context, (operations) => operations.create(order))
      if (created !== undefined) printSecret(created, { verb: 'Created', json, io: context.io })
    })
}

function registerEdit(keys: Command, context: CommandContext): void {
  const command = keys
    .command('edit')
    .description('change a key; its next request counts by the new terms')
    .argument('<id|name>', 'the key')
    .option('--name <name>', 'another name')
  addKeyOptions(command)
    .option('--no-dry-run-allowed', 'the reverse of --dry-run-allowed')
    .option('--no-caller-tags', 'the reverse of --caller-tags')
    .option('--preview', 'show what the change would do, without making it')
    .option('--json', 'print JSON')
    .action(async (reference: string, { json, preview, ...options }: EditOptions) => {
      const { io } = context
      if (preview) return previewEdit({ reference, options, json }, context)
      const key = await withKeys(context, async (operations) =>
        operations.change(reference, readEditOptions(options, await operations.get(reference))),
      )
      if (key === undefined) return
      io.write(json ? writeJson(key) : `The key "${key.name}" (${key.id}) is changed.\n`)
      warnOf([key], io)
    })
}

type EditOptions = KeyOptions & JsonChoice & { readonly preview?: true }

interface PreviewOrder {
  readonly reference: string
  readonly options: KeyOptions
  readonly json: true | undefined
}

async function previewEdit(
  { reference, options, json }: PreviewOrder,
  context: CommandContext,
): Promise<void> {
  const effects = await withKeys(context, async (operations) =>
    operations.preview(reference, readEditOptions(options, await operations.get(reference))),
  )
  if (effects !== undefined) context.io.write(json ? writeJson(effects) : writeEffects(effects))
}

function registerRotate(keys: Command, context: CommandContext): void {
  keys
    .command('rotate')
    .description('give a key another secret and print it, once; the one before works for a while')
    .argument('<id|name>', 'the key')
    .option(
      '--overlap <time>',
      'how long the secret before still works: 24h unless given; 0s ends it at once',
    )
    .option('--json', 'print JSON')
    .action(async (reference: string, { json, overlap }: JsonChoice & { readonly overlap?: string }) => {
      const input = overlap === undefined ? {} : { overlap }
      const order = await runCommand(context.io, () => checkInput(rotateKeySchema, input))
      if (order === undefined) return
      const rotated = await withKeys(context, (operations) => operations.rotate(reference, order))
      if (rotated === undefined) return
      const until = rotated.previous_secret_until
      const end = until === null ? 'The one before no longer works.' : `The one before works until ${until}.`
      printSecret(rotated, { verb: 'Rotated', json, io: context.io })
      if (!json) context.io.writeError(`${end}\n`)
    })
}

interface SecretOutput {
  readonly json: true | undefined
  readonly verb: 'Created' | 'Rotated'
  readonly io: CommandIo
}

function printSecret(key: CreatedKey, { verb, json, io }: SecretOutput): void {
  warnOf([key], io)
  if (json) {
    io.write(writeJson(key))
    return
  }
  io.writeError(`${verb} key "${key.name}" (${key.id}). Its secret is shown only now:\n`)
  io.write(`${key.secret}\n`)
}

/** Warns of terms of keys that have no effect. */
function warnOf(keys: readonly KeyView[], io: CommandIo): void {
  for (const { name, warnings } of keys)
    for (const warning of warnings)
      io.writeError(`warning: key "${plainLine(name)}": ${plainLine(warning)}\n`)
}

interface ListOptions extends JsonChoice, PageOptions {
  readonly all?: boolean
  readonly search?: string
  readonly user?: string
  readonly group?: string
  readonly status?: string
}

function registerList(keys: Command, context: CommandContext): void {
  const command = keys
    .command('list')
    .description('list keys, a page at a time')
    .option('--all', 'include revoked keys')
    .option('--search <text>', 'a part of the name')
    .option('--user <user>', 'those of a user')
    .option('--group <group>', 'those of a group')
    .option('--status <status>', 'active, disabled, expired or revoked')
  addPageOptions(command, ['created', 'name', 'last_used', 'expires'])
    .option('--json', 'print JSON')
    .action(async ({ json, ...options }: ListOptions) => {
      const { io } = context
      const query = await runCommand(io, () => readListOptions(options))
      if (query === undefined) return
      const list = await withKeys(context, (operations) => operations.list(query))
      if (list === undefined) return
      if (json) return io.write(writeJson(list))
      if (list.data.length === 0)
        return io.writeError('There are no such keys. Create one: headgate keys create --name <name>\n')
      io.write(writeKeyTable(list.data))
      warnOf(list.data, io)
      writeMore(list.next_after, io)
    })
}

function readListOptions({ all = false, search, ...options }: Omit<ListOptions, 'json'>): ListKeys {
  const include_revoked = all ? 'true' : undefined
  return checkInput(listKeysSchema, omitUndefined({ q: search, include_revoked, ...options }))
}

function registerShow(keys: Command, context: CommandContext): void {
  keys
    .command('show')
    .description('show every field of a key')
    .argument('<id|name>', 'the key')
    .option('--json', 'print JSON')
    .action(async (reference: string) => {
      const key = await withKeys(context, (operations) => operations.get(reference))
      if (key !== undefined) context.io.write(writeJson(key))
    })
}

interface ChangeCommand {
  readonly name: string
  readonly description: string
  readonly change: (operations: KeyOperations, reference: string) => ReturnType<KeyOperations['revoke']>
}

function registerChange(
  keys: Command,
  context: CommandContext,
  { name, description, change }: ChangeCommand,
): void {
  keys
    .command(name)
    .description(description)
    .argument('<id|name>', 'the key')
    .option('--json', 'print JSON')
    .action(async (reference: string, { json }: JsonChoice) => {
      const key = await withKeys(context, (operations) => change(operations, reference))
      if (key === undefined) return
      context.io.write(json ? writeJson(key) : `The key "${key.name}" (${key.id}) is ${key.status}.\n`)
    })
}

/** Runs an operation on keys. Undefined where it failed. The failure has then been printed. */
function withKeys<Result>(
  { dataFolder, adminToken, io }: CommandContext,
  work: (operations: KeyOperations) => Promise<Result>,
): Promise<Result | undefined> {
  return runCommand(io, async () => {
    await using cleanup = new AsyncDisposableStack()
    const folder = dataFolder()
    const reached = await reachKeys(folder, adminToken(), createWarningWriter(io))
    cleanup.defer(() => reached.close())
    if (!reached.isFromServer) io.writeError(describeOffline(folder))
    return await work(reached.operations)
  })
}

const columns: readonly TableColumn<ListedKey>[] = [
  ['NAME', ({ name }) => name],
  ['ID', ({ id }) => id],
  ['SECRET', ({ hint }) => (hint === '' ? '' : `${hint}…`)],
  ['STATUS', ({ status }) => status],
  ['MODELS', ({ models }) => models.join(',')],
  ['GROUP', ({ group }) => group ?? ''],
  ['ADDRESSES', ({ allow_ips }) => allow_ips.join(',')],
  ['LAST USED', ({ last_used_at }) => last_used_at ?? ''],
  [
    'COST THIS MONTH',
    ({ cost_this_month_usd: cost }) => (cost === null ? '' : writeUsdNumber(cost)),
    'right',
  ],
  ['EXPIRES', ({ expires_at }) => expires_at ?? ''],
  ['ORIGIN', ({ origin }) => (origin === 'bootstrap' ? 'file' : 'made')],
]

/** Writes keys as aligned columns, for display. */
function writeKeyTable(keys: readonly ListedKey[]): string {
  return writeTable(columns, keys)
}
