import type { Command } from 'commander'
import type { CreatedLink, LinkList } from '../../admin/people/people-contract.ts'
import { inviteSchema } from '../../admin/people/people-input-schema.ts'
import { checkInput } from '../../admin/read-input.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { CommandContext } from '../command-context.ts'
import { openExistingFolder } from '../open-existing-folder.ts'
import { addToList } from '../options/option-values.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { openQuestions } from './ask-person.ts'
import { type GroupOptions, readGroupOptions } from './group-options.ts'
import { withPeople } from './with-people.ts'

/** Adds the commands on links. A link creates a user or sets a new password. */
export function registerLinkCommands(users: Command, context: CommandContext): void {
  registerInvite(users, context)
  registerOwnerLink(users, context)
  registerReset(users, context)
  registerAccept(users, context)
  registerLinks(users, context)
}

/** Prints a link. Only the secret goes to standard output, so that a script can pass it on. */
function printLink(link: CreatedLink, json: true | undefined, { io }: CommandContext): void {
  if (json) {
    io.write(writeJson(link))
    return
  }
  const purpose = {
    owner: 'An owner',
    invitation: `A user with the role ${link.role}`,
    reset: 'A new password',
  }
  const name = link.name === null ? '' : ` for "${link.name}"`
  io.writeError(
    `${purpose[link.type]}${name}, once, until ${link.expires_at}. Pass the secret on; it is shown only now:\n`,
  )
  io.write(`${link.secret}\n`)
  io.writeError(
    'It is used in the console at /console/link#<secret>, by "headgate users accept <secret>", or POST /admin/v1/links/accept.\n',
  )
}

interface InviteOptions extends JsonChoice, GroupOptions {
  readonly role: string
  readonly name?: string
}

function registerInvite(users: Command, context: CommandContext): void {
  users
    .command('invite')
    .description('make a link with which a person becomes a user, and print its secret, once')
    .requiredOption('--role <role>', 'owner, admin, viewer or member')
    .option('--group <group>', 'a group of the user; repeat it for several', addToList)
    .option('--manages <group>', 'the same, as its manager', addToList)
    .option('--name <name>', 'the name of the user, who chooses one otherwise')
    .option('--json', 'print JSON')
    .action(({ json, role, name, ...options }: InviteOptions) =>
      withPeople(context, async (people) => {
        const input = { role, groups: readGroupOptions(options), name }
        printLink(await people.invite(checkInput(inviteSchema, omitUndefined(input))), json, context)
      }),
    )
}

function registerOwnerLink(users: Command, context: CommandContext): void {
  users
    .command('link')
    .description('make a link to an owner, also where no owner can sign in any more')
    .option('--owner', 'a link to an owner, the only kind here')
    .option('--json', 'print JSON')
    .action(({ json }: JsonChoice) =>
      withPeople(context, async (people) => printLink(await people.inviteOwner(), json, context)),
    )
}

function registerReset(users: Command, context: CommandContext): void {
  users
    .command('reset')
    .description('make a link to a new password of a user, and print its secret, once')
    .argument('<id|name>', 'the user')
    .option('--second-factor', 'also turn the second factor off')
    .option('--json', 'print JSON')
    .action((user: string, { json, secondFactor }: JsonChoice & { readonly secondFactor?: true }) =>
      withPeople(context, async (people) => {
        // This comes first, so that its failure leaves no link with a secret that is never shown.
        if (secondFactor === true) await people.removeSecondFactor(user)
        printLink(await people.reset(user), json, context)
      }),
    )
}

interface AcceptOptions extends JsonChoice {
  readonly name?: string
}

function registerAccept(users: Command, context: CommandContext): void {
  users
    .command('accept')
    .description('use a link: asks for a name and a password, a line each where they are piped in')
    .argument('[secret]', 'of the link; the one to the first owner unless given')
    .option('--name <name>', 'the name of the user')
    .option('--json', 'print JSON')
    .action((given: string | undefined, { json, name }: AcceptOptions) =>
      withPeople(context, async (people) => {
        const { io } = context
        const secret = given ?? readFirstOwner(context)
        const questions = openQuestions()
        try {
          const link = await people.showLink(secret)
          const chosen = name ?? (link.name === null ? (await questions.ask('Name: ')).trim() : undefined)
          const password = await questions.askNewSecret('Password (12 characters at least): ')
          const user = await people.accept(omitUndefined({ secret, name: chosen, password }))
          io.write(json ? writeJson(user) : `You are "${user.name}" now, with the role ${user.role}.\n`)
        } finally {
          questions.close()
        }
      }),
    )
}

function readFirstOwner({ dataFolder }: CommandContext): string {
  const { path, read } = openExistingFolder(dataFolder()).secrets.firstOwner
  const secret = read()
  if (secret !== undefined) return secret
  throw new OperatorError(
    'link_missing',
    `${path} is not there: there is an owner already, or the link was shown on a terminal or is with another node`,
  )
}

const columns: readonly TableColumn<LinkList['data'][number]>[] = [
  ['ID', ({ id }) => id],
  ['TYPE', ({ type }) => type],
  ['ROLE', ({ role }) => role ?? ''],
  ['NAME', ({ name }) => name ?? ''],
  ['MADE BY', (link) => link.created_by],
  ['EXPIRES', (link) => link.expires_at],
]

function registerLinks(users: Command, context: CommandContext): void {
  const { io } = context
  users
    .command('links')
    .description('list the links that nobody has used yet')
    .option('--json', 'print JSON')
    .action(({ json }: JsonChoice) =>
      withPeople(context, async (people) => {
        const list = await people.links()
        if (json) return io.write(writeJson(list))
        if (list.data.length === 0) return io.writeError('There are no open links.\n')
        io.write(writeTable(columns, list.data))
      }),
    )
  users
    .command('unlink')
    .description('withdraw a link')
    .argument('<id>', 'of the link')
    .option('--json', 'print JSON')
    .action((id: string, { json }: JsonChoice) =>
      withPeople(context, async (people) => {
        await people.withdraw(id)
        io.write(json ? writeJson({ id }) : `The link ${id} is withdrawn.\n`)
      }),
    )
}
