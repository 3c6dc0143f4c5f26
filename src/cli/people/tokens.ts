import type { Command } from 'commander'
import type { TokenView } from '../../admin/people/people-contract.ts'
import { createTokenSchema } from '../../admin/people/people-input-schema.ts'
import { checkInput } from '../../admin/read-input.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { CommandContext } from '../command-context.ts'
import { addToList } from '../options/option-values.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { withPeople } from './with-people.ts'

const columns: readonly TableColumn<TokenView>[] = [
  ['NAME', ({ name }) => name],
  ['ID', ({ id }) => id],
  ['TOKEN', ({ hint }) => `${hint}…`],
  ['OF', ({ user }) => user ?? 'a service'],
  ['ROLE', ({ role }) => role],
  ['SCOPES', ({ scopes }) => scopes.join(',')],
  ['LAST USED', (token) => token.last_used_at ?? ''],
  ['EXPIRES', (token) => token.expires_at ?? ''],
]

/** Adds `headgate tokens …`: tokens with which scripts use the admin API. */
export function registerTokensCommand(program: Command, context: CommandContext): void {
  const tokens = program
    .command('tokens')
    .description('create, list and revoke the tokens of scripts for the admin API')
  registerList(tokens, context)
  registerCreate(tokens, context)
  registerRevoke(tokens, context)
}

function registerList(tokens: Command, context: CommandContext): void {
  const { io } = context
  tokens
    .command('list')
    .description('list tokens, newest first')
    .option('--json', 'print JSON')
    .action(({ json }: JsonChoice) =>
      withPeople(context, async (people) => {
        const list = await people.tokens()
        if (json) return io.write(writeJson(list))
        if (list.data.length === 0)
          return io.writeError(
            'There are no tokens. Make one: headgate tokens create --name ci --service viewer --scope usage:read\n',
          )
        io.write(writeTable(columns, list.data))
      }),
    )
}

interface CreateOptions extends JsonChoice {
  readonly name: string
  readonly service: string
  readonly scope: readonly string[]
  readonly expires?: string
}

function registerCreate(tokens: Command, context: CommandContext): void {
  const { io } = context
  tokens
    .command('create')
    .description('create a token for a program and print it, once')
    .requiredOption('--name <name>', 'the name of the token')
    .requiredOption('--service <role>', 'the role that it has: owner, admin, viewer or member')
    .requiredOption('--scope <scope>', 'what it may do, such as keys:read; repeat it for several', addToList)
    .option('--expires <when>', 'until when it works, such as 2027-01-01 or 90d')
    .option('--json', 'print JSON')
    .action(({ json, name, service, scope, expires }: CreateOptions) =>
      withPeople(context, async (people) => {
        const input = omitUndefined({ name, service, scopes: scope, expires_at: expires })
        const created = await people.createToken(checkInput(createTokenSchema, input))
        if (json) return io.write(writeJson(created))
        io.writeError(`Created token "${created.name}" (${created.id}). It is shown only now:\n`)
        io.write(`${created.secret}\n`)
      }),
    )
}

function registerRevoke(tokens: Command, context: CommandContext): void {
  tokens
    .command('revoke')
    .description('revoke a token for good; its next request fails')
    .argument('<id>', 'of the token')
    .option('--json', 'print JSON')
    .action((id: string, { json }: JsonChoice) =>
      withPeople(context, async (people) => {
        await people.revokeToken(id)
        context.io.write(json ? writeJson({ id }) : `The token ${id} is revoked.\n`)
      }),
    )
}
