import type { Command } from 'commander'
import { type MemberView, memberListSchema, removedMemberSchema } from '../../admin/groups/group-contract.ts'
import type { CommandContext } from '../command-context.ts'
import { addPageOptions, type PageOptions, writeMore } from '../options/page-options.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'

const columns: readonly TableColumn<MemberView>[] = [
  ['NAME', ({ name }) => name],
  ['ROLE', ({ role }) => role],
  ['MANAGER', ({ manager }) => (manager ? 'yes' : '')],
  ['STATUS', ({ status }) => status],
]

const memberSchema = memberListSchema.shape.data.element

/** Adds the commands on the members of a group to `headgate groups …`. */
export function registerMemberCommands(groups: Command, context: CommandContext): void {
  registerMembers(groups, context)
  registerJoin(groups, context)
  registerLeave(groups, context)
}

function registerMembers(groups: Command, context: CommandContext): void {
  const { io } = context
  const command = groups
    .command('members')
    .description('list the users of a group, a page at a time')
    .argument('<group>')
  addPageOptions(command, [])
    .option('--json', 'print JSON')
    .action((group: string, { json, ...options }: JsonChoice & PageOptions) =>
      withServer(context, async (call) => {
        const path = `${pathOf(group)}${writeQuery({ ...options })}`
        const list = await call({ method: 'GET', path }, memberListSchema)
        if (json) return io.write(writeJson(list))
        if (list.data.length === 0) return io.writeError('Nobody is in the group.\n')
        io.write(writeTable(columns, list.data))
        writeMore(list.next_after, io)
      }),
    )
}

function registerJoin(groups: Command, context: CommandContext): void {
  groups
    .command('join')
    .description('put a user into a group, or change whether the user manages it')
    .argument('<group>')
    .argument('<id|name>', 'the user')
    .option('--manager', 'as a manager, who has all keys of the group')
    .option('--json', 'print JSON')
    .action((group: string, user: string, { json, manager }: JsonChoice & { readonly manager?: true }) =>
      withServer(context, async (call) => {
        const body = { manager: manager === true }
        const member = await call({ method: 'PUT', path: pathOf(group, user), body }, memberSchema)
        const role = member.manager ? 'manages' : 'is in'
        context.io.write(
          json ? writeJson(member) : `The user "${member.name}" ${role} the group "${group}".\n`,
        )
      }),
    )
}

function registerLeave(groups: Command, context: CommandContext): void {
  const { io } = context
  groups
    .command('leave')
    .description('take a user out of a group')
    .argument('<group>')
    .argument('<id|name>', 'the user')
    .option('--json', 'print JSON')
    .action((group: string, reference: string, { json }: JsonChoice) =>
      withServer(context, async (call) => {
        const removed = await call({ method: 'DELETE', path: pathOf(group, reference) }, removedMemberSchema)
        if (json) return io.write(writeJson(removed))
        const { user, keys } = removed
        io.write(`The user "${user}" has left the group "${group}".\n`)
        if (keys > 0)
          io.writeError(
            `${keys} of the user's keys stay in it: headgate keys list --user ${user} --group ${group}\n`,
          )
      }),
    )
}

function pathOf(group: string, user?: string): string {
  const one = `/groups/${encodeURIComponent(group)}/members`
  return user === undefined ? one : `${one}/${encodeURIComponent(user)}`
}
