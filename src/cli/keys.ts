import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CreateKey, KeyOperations, KeyView } from '../admin/contract.ts'
import { describeOffline } from './open-existing-folder.ts'
import type { CommandIo } from './output/command-io.ts'
import { createWarner } from './output/create-warner.ts'
import { describeError } from './output/describe-error.ts'
import { type TableColumn, writeTable } from './output/write-table.ts'
import { reachKeys } from './remote/reach-keys.ts'

export interface KeysContext {
  dataFolder(): string
  /** From the environment; undefined leaves it to the data folder. */
  adminToken(): string | undefined
  readonly io: CommandIo
}

interface JsonChoice {
  readonly json?: true
}

interface CreateOptions extends JsonChoice {
  readonly name: string
  readonly models: readonly string[]
  readonly group?: string
  readonly expires?: string
  readonly allowIp?: readonly string[]
  readonly dryRunAllowed?: true
}

/** Adds `headgate keys …`. A command that fails says why in one line and sets the exit code to 1. */
export function registerKeysCommand(program: Command, context: KeysContext): void {
  const keys = program.command('keys').description('create, list, disable and revoke the keys of callers')
  registerCreate(keys, context)
  registerList(keys, context)
  registerChange(keys, context, {
    name: 'revoke',
    description: 'revoke a key for good; its next request fails',
    change: (operations, reference) => operations.revoke(reference),
  })
  registerChange(keys, context, {
    name: 'disable',
    description: 'reject a key until it is enabled again',
    change: (operations, reference) => operations.setDisabled(reference, true),
  })
  registerChange(keys, context, {
    name: 'enable',
    description: 'accept a disabled key again',
    change: (operations, reference) => operations.setDisabled(reference, false),
  })
}

function registerCreate(keys: Command, context: KeysContext): void {
  keys
    .command('create')
    .description('create a key and print its secret, once')
    .requiredOption('--name <name>', 'the name of the key')
    .addOption(
      new Option('--models <names>', 'public model names that it may use, separated by commas')
        .argParser(splitList)
        .default(['*'], 'every model'),
    )
    .option('--group <group>', 'the group of the key')
    .option('--expires <date>', 'when it expires, such as 2027-01-01 or 2027-01-01T12:00:00Z', readDate)
    .option('--allow-ip <range>', 'an address or range that may use it; repeat for more', addToList)
    .option('--dry-run-allowed', 'let it ask where a request would go, with x-headgate-dry-run: 1')
    .option('--json', 'print JSON')
    .action(async (options: CreateOptions) => {
      const { io } = context
      const created = await withKeys(context, (operations) => operations.create(readOrder(options)))
      if (created === undefined) return
      if (options.json) return io.write(writeJson(created))
      io.writeError(`Created key "${created.name}" (${created.id}). Its secret is shown only now:\n`)
      io.write(`${created.secret}\n`)
    })
}

function registerList(keys: Command, context: KeysContext): void {
  keys
    .command('list')
    .description('list the keys')
    .option('--all', 'include revoked keys')
    .option('--json', 'print JSON')
    .action(async ({ all = false, json }: JsonChoice & { readonly all?: boolean }) => {
      const { io } = context
      const list = await withKeys(context, (operations) => operations.list({ includeRevoked: all }))
      if (list === undefined) return
      if (json) return io.write(writeJson(list))
      if (list.data.length === 0)
        return io.writeError('There are no keys. Create one: headgate keys create --name <name>\n')
      io.write(writeKeyTable(list.data))
    })
}

interface ChangeCommand {
  readonly name: string
  readonly description: string
  readonly change: (operations: KeyOperations, reference: string) => ReturnType<KeyOperations['revoke']>
}

function registerChange(
  keys: Command,
  context: KeysContext,
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

/** Undefined where it failed; the failure is printed by then. */
async function withKeys<Result>(
  { dataFolder, adminToken, io }: KeysContext,
  work: (operations: KeyOperations) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    await using cleanup = new AsyncDisposableStack()
    const folder = dataFolder()
    const reached = await reachKeys(folder, adminToken(), createWarner(io))
    cleanup.defer(() => reached.close())
    if (!reached.isServer) io.writeError(describeOffline(folder))
    return await work(reached.operations)
  } catch (error) {
    io.writeError(`headgate: ${describeError(error)}\n`)
    io.setExitCode(1)
    return undefined
  }
}

function readOrder({ name, models, group, expires, allowIp, dryRunAllowed }: CreateOptions): CreateKey {
  return {
    name,
    models: [...models],
    ...(group === undefined ? {} : { group }),
    ...(expires === undefined ? {} : { expires_at: expires }),
    ...(dryRunAllowed === undefined ? {} : { dry_run: true }),
    ...(allowIp === undefined ? {} : { allow_ips: [...allowIp] }),
  }
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function addToList(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...splitList(text)]
}

/** A day without a time begins at midnight UTC. */
function readDate(text: string): string {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
  if (Number.isNaN(Date.parse(time))) {
    throw new InvalidArgumentError('Give a date such as 2027-01-01 or 2027-01-01T12:00:00Z.')
  }
  return time
}

function writeJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

const columns: readonly TableColumn<KeyView>[] = [
  ['NAME', ({ name }) => name],
  ['ID', ({ id }) => id],
  ['SECRET', ({ hint }) => (hint === '' ? '' : `${hint}…`)],
  ['STATUS', ({ status }) => status],
  ['MODELS', ({ models }) => models.join(',')],
  ['GROUP', ({ group }) => group ?? ''],
  ['ADDRESSES', ({ allow_ips }) => allow_ips.join(',')],
  ['EXPIRES', ({ expires_at }) => expires_at ?? ''],
  ['ORIGIN', ({ origin }) => (origin === 'bootstrap' ? 'file' : 'made')],
]

/** Keys as aligned columns, for people. */
function writeKeyTable(keys: readonly KeyView[]): string {
  return writeTable(columns, keys)
}
