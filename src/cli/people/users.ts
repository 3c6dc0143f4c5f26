import type { Command } from 'commander'
import type { SessionList, UserView } from '../../admin/people/people-contract.ts'
import {
  type ChangeUser,
  changeUserSchema,
  deleteUserSchema,
  listUsersSchema,
} from '../../admin/people/people-input-schema.ts'
import { checkInput } from '../../admin/read-input.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { CommandContext } from '../command-context.ts'
import { addToList } from '../options/option-values.ts'
import { addPageOptions, type PageOptions, writeMore } from '../options/page-options.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { type GroupOptions, readGroupOptions } from './group-options.ts'
import { registerLinkCommands } from './user-links.ts'
import { withPeople } from './with-people.ts'

const columns: readonly TableColumn<UserView>[] = [
  ['NAME', ({ name }) => name],
  ['ROLE', ({ role }) => role],
  ['GROUPS', ({ groups }) => groups.map(writeGroup).join(',')],
  ['STATUS', ({ status }) => status],
  ['SECOND FACTOR', (user) => (user.second_factor ? 'on' : '')],
  ['LAST SIGN-IN', (user) => user.last_sign_in_at ?? ''],
]

function writeGroup({ group, manager }: UserView['groups'][number]): string {
  return manager ? `${group} (manager)` : group
}

/** Adds `headgate users …`. On failure a command prints the reason in one line and sets the exit code to 1. */
export function registerUsersCommand(program: Command, context: CommandContext): void {
  const users = program
    .command('users')
    .description('invite, list, change, disable and delete those who sign in')
  registerList(users, context)
  registerShow(users, context)
  registerLinkCommands(users, context)
  registerEdit(users, context)
  registerSwitch(users, context, { name: 'disable', disabled: true })
  registerSwitch(users, context, { name: 'enable', disabled: false })
  registerDelete(users, context)
  registerUnlinkIdentity(users, context)
  registerSessions(users, context)
}

interface ListOptions extends JsonChoice, PageOptions {
  readonly search?: string
  readonly role?: string
  readonly group?: string
  readonly status?: string
}

function registerList(users: Command, context: CommandContext): void {
  const command = users
    .command('list')
    .description('list users, a page at a time')
    .option('--search <text>', 'a part of the name')
    .option('--role <role>', 'owner, admin, viewer or member')
    .option('--group <group>', 'those in a group')
    .option('--status <status>', 'active or disabled')
  addPageOptions(command, ['name', 'created', 'last_sign_in'])
    .option('--json', 'print JSON')
    .action(({ json, search, ...options }: ListOptions) =>
      withPeople(context, async (people) => {
        const query = checkInput(listUsersSchema, omitUndefined({ q: search, ...options }))
        const list = await people.list(query)
        const { io } = context
        if (json) return io.write(writeJson(list))
        if (list.data.length === 0)
          return io.writeError('There are no such users. Invite one: headgate users invite --role member\n')
        io.write(writeTable(columns, list.data))
        writeMore(list.next_after, io)
      }),
    )
}

function registerShow(users: Command, context: CommandContext): void {
  users
    .command('show')
    .description('show every field of a user')
    .argument('<id|name>', 'the user')
    .option('--json', 'print JSON')
    .action((user: string) =>
      withPeople(context, async (people) => context.io.write(writeJson(await people.get(user)))),
    )
}

interface EditOptions extends JsonChoice, GroupOptions {
  readonly role?: string
  readonly groups?: boolean
}

function registerEdit(users: Command, context: CommandContext): void {
  users
    .command('edit')
    .description('change the role or the groups of a user')
    .argument('<id|name>', 'the user')
    .option('--role <role>', 'owner, admin, viewer or member')
    .option('--group <group>', 'in place of the groups before; repeat it for several', addToList)
    .option('--manages <group>', 'the same, as its manager', addToList)
    .option('--no-groups', 'in no group')
    .option('--json', 'print JSON')
    .action((user: string, { json, role, ...options }: EditOptions) =>
      withPeople(context, async (people) => {
        const named = readGroupOptions(options)
        const groups = named.length > 0 || options.groups === false ? named : undefined
        const change = checkInput(changeUserSchema, omitUndefined({ role, groups }))
        const changed = await people.change(user, change)
        context.io.write(json ? writeJson(changed) : `The user "${changed.name}" is changed.\n`)
      }),
    )
}

interface KeysOptions extends JsonChoice {
  readonly keys?: string
}

function registerSwitch(
  users: Command,
  context: CommandContext,
  { name, disabled }: { readonly name: string; readonly disabled: boolean },
): void {
  const command = users
    .command(name)
    .description(
      disabled ? 'end all access of a user, until enabled again' : 'let a disabled user sign in again',
    )
    .argument('<id|name>', 'the user')
  if (disabled) addKeysOption(command)
  command.option('--json', 'print JSON').action((user: string, { json, keys }: KeysOptions) =>
    withPeople(context, async (people) => {
      const input: ChangeUser = checkInput(changeUserSchema, omitUndefined({ disabled, keys }))
      const changed = await people.change(user, input)
      context.io.write(json ? writeJson(changed) : `The user "${changed.name}" is ${changed.status}.\n`)
      warnOfFile(changed.keys?.in_file, context)
    }),
  )
}

function addKeysOption(command: Command): Command {
  return command.option('--keys <choice>', 'what becomes of keys that work: disable, or hand-over:<user>')
}

function warnOfFile(names: readonly string[] = [], { io }: CommandContext): void {
  for (const name of names)
    io.writeError(
      `warning: key "${name}" stays as it is: it belongs to the configuration file; change it there\n`,
    )
}

function registerDelete(users: Command, context: CommandContext): void {
  addKeysOption(
    users
      .command('delete')
      .description('delete a user for good; usage and the audit keep the name')
      .argument('<id|name>', 'the user'),
  )
    .option('--json', 'print JSON')
    .action((user: string, { json, keys }: KeysOptions) =>
      withPeople(context, async (people) => {
        const deleted = await people.delete(user, checkInput(deleteUserSchema, omitUndefined({ keys })))
        context.io.write(json ? writeJson(deleted) : `The user "${deleted.name}" is deleted.\n`)
        warnOfFile(deleted.keys.in_file, context)
      }),
    )
}

function registerUnlinkIdentity(users: Command, context: CommandContext): void {
  users
    .command('unlink-identity')
    .description('unlink the identity of a user, who then cannot sign in through the identity provider')
    .argument('<id|name>', 'the user')
    .option('--json', 'print JSON')
    .action((user: string, { json }: JsonChoice) =>
      withPeople(context, async (people) => {
        const view = await people.unlinkIdentity(user)
        const advice = view.password ? '' : ` Without a password: headgate users reset ${view.name}`
        context.io.write(json ? writeJson(view) : `The identity of "${view.name}" is unlinked.${advice}\n`)
      }),
    )
}

const sessionColumns: readonly TableColumn<SessionList['data'][number]>[] = [
  ['USER', ({ user }) => user],
  ['ID', ({ id }) => id],
  ['ADDRESS', ({ address }) => address],
  ['BROWSER', (session) => session.user_agent],
  ['SIGNED IN', (session) => session.created_at],
  ['LAST USED', (session) => session.last_used_at],
]

function registerSessions(users: Command, context: CommandContext): void {
  users
    .command('sessions')
    .description('list where users are signed in, or end one of these sessions')
    .argument('[id|name]', 'the user; all of them unless given')
    .option('--end <session>', 'the id of a session to end')
    .option('--json', 'print JSON')
    .action((user: string | undefined, { json, end }: JsonChoice & { readonly end?: string }) =>
      withPeople(context, async (people) => {
        const { io } = context
        if (end !== undefined) {
          await people.endSession(end)
          return io.write(json ? writeJson({ id: end }) : `The session ${end} is over.\n`)
        }
        const list = await people.sessions(user)
        if (json) return io.write(writeJson(list))
        if (list.data.length === 0) return io.writeError('Nobody is signed in.\n')
        io.write(writeTable(sessionColumns, list.data))
      }),
    )
}
