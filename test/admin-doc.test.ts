import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { renderAdminDocs } from '../scripts/render-admin-docs.ts'
import { describeApi } from '../src/admin/openapi.ts'
import { namedRefusals, plainRefusals, refusedKinds } from '../src/canonical/refusal.ts'
import { createProgram } from '../src/cli/main.ts'
import { listCommands } from '../src/cli/output/help-examples.ts'
import { inputFormats, namedKinds, plainFacts } from '../src/kit/schema/input-fact.ts'
import { createAskAdmin } from './support/ask-admin.ts'
import { startGateway } from './support/start-gateway.ts'

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
}

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** The rows of the API's table: the request, and the words of the command behind "headgate". */
const rows = [
  ...read('docs/configuration-by-api.md').matchAll(
    /^\| `([A-Z]+ \/admin\/v1\/[^`]+)` \| (?:–|`headgate ([^`]+)`) \| .+ \|$/gm,
  ),
].map(([, request = '', command]) => ({ request, command }))

test('the description of an operation fails if its errors repeat one of its policy', () => {
  const operation = {
    method: 'GET',
    path: '/admin/v1/things',
    summary: 'List things',
    policy: { access: 'read', scope: 'keys:read' },
    answer: { status: 200, schema: z.object({}) },
    errors: ['key_not_found', 'not_permitted'],
  } as const
  expect(() => describeApi([operation], '1')).toThrow('repeats errors of its policy: not_permitted')
})

describe('the table of the admin API in docs/configuration-by-api.md', () => {
  it('has one row for every operation of the OpenAPI document, and no other', async () => {
    await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
    const { body } = await createAskAdmin(gateway.url)('GET', '/openapi.json')
    const { paths } = body as { readonly paths: Readonly<Record<string, object>> }
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(operations.length).toBeGreaterThan(25)
    expect(rows.map(({ request }) => request).sort()).toEqual(operations.sort())
  })

  it('has no path parameter without a description in the OpenAPI document', async () => {
    await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
    const { body } = await createAskAdmin(gateway.url)('GET', '/openapi.json')
    const { paths } = body as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    }
    const undescribed = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ parameters = [] }) =>
        [...path.matchAll(/\{(\w+)\}/g)]
          .map(([, name]) => name)
          .filter((name) => !parameters.some((each) => each.in === 'path' && each.name === name))
          .map((name) => `${path}: ${name}`),
      ),
    )
    expect(undescribed, 'describe it in `pathParameters` of the route').toEqual([])
  })

  it('names commands that exist', () => {
    const known = new Set(listCommands(createProgram()).map(({ words }) => words))
    const named = rows.flatMap(({ command }) => command ?? [])
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((command) => !known.has(command))).toEqual([])
  })

  it('names a command for every operation, except for those that only a browser or a program calls', () => {
    const without = rows.filter(({ command }) => command === undefined).map(({ request }) => request)
    expect(without.toSorted(), 'a new operation needs a command, or a reason here').toEqual(
      Object.keys(withoutCommand).toSorted(),
    )
  })

  it('names every command that performs one of its operations', () => {
    const named = new Set(rows.map(({ command }) => command))
    const commands = listCommands(createProgram()).filter(
      ({ words, command }) => !isGroup(words, command) && !words.startsWith('chaos'),
    )
    const missing = commands.map(({ words }) => words).filter((words) => !named.has(words))
    expect(missing.toSorted(), 'a command without a row needs one, or a reason here').toEqual(
      Object.keys(withoutOperation).toSorted(),
    )
  })

  it('has operations that an end-to-end test calls, each directly or by its command', () => {
    const untested = rows.filter((row) => !endToEndTests.some((text) => asks(text, row)))
    expect(untested, 'no test in test/e2e asks it; admin-policy.test.ts does not count').toEqual([])
  })
})

/** Operations that no command does, and why. */
const withoutCommand: Readonly<Record<string, string>> = {
  'PUT /admin/v1/channels/{name}': 'channels add and edit do it',
  'PUT /admin/v1/models/{name}': 'models add and edit do it',
  'PUT /admin/v1/groups/{name}': 'groups add and edit do it',
  'PUT /admin/v1/user-limits/{name}': 'user-limits add and edit do it',
  'PUT /admin/v1/budgets/{name}': 'budgets add and edit do it',
  'PUT /admin/v1/settings/{name}': 'config apply does it, and drafts put in a draft',
  'PATCH /admin/v1/settings/{name}': 'the same, and drafts edit',
  'DELETE /admin/v1/settings/{name}': 'the same, and drafts remove',
  'POST /admin/v1/sign-in': 'a browser signs in; a command has the admin token',
  'GET /admin/v1/sign-in': 'the same',
  'POST /admin/v1/sign-in/oidc': 'the same',
  'GET /admin/v1/sign-in/oidc/callback': 'the identity provider sends a browser there',
  'POST /admin/v1/sign-in/code': 'the same as signing in',
  'POST /admin/v1/reauthenticate/oidc': 'the same',
  'POST /admin/v1/me/identity': 'the same; users unlink-identity undoes it',
  'POST /admin/v1/sign-out': 'the same',
  'GET /admin/v1/me': 'the same',
  'POST /admin/v1/reauthenticate': 'the same',
  'POST /admin/v1/me/password': 'the same; users reset makes a link to a new one',
  'POST /admin/v1/me/totp': 'the same',
  'POST /admin/v1/me/totp/confirm': 'the same',
  'DELETE /admin/v1/me/totp': 'the same; users reset turns it off for another',
  'POST /admin/v1/links/show': 'users accept says what is wrong with a link',
  'GET /admin/v1/openapi.json': 'a program reads it',
  'POST /admin/v1/playground/completions': 'the console asks; a program has a key of its own',
}

/** Commands that are no operation, and why. */
const withoutOperation: Readonly<Record<string, string>> = {
  serve: 'it is the server',
  restart: 'the supervisor does it, which serves no admin API',
  init: 'it writes a file',
  check: 'it reads the file of another configuration than the one in use',
  restore: 'no server may run',
  migrate: 'it reads a data folder and writes into another store',
  completion: 'it prints a script for the shell',
  'prices show': 'GET of the prices of one model, whose row names prices list',
  'prices diff': 'it reads price files',
  'prices update': 'it writes a price file',
  'keys disable': 'PATCH of a key, whose row names keys edit',
  'keys enable': 'the same',
  'users disable': 'PATCH of a user, whose row names users edit',
  'users enable': 'the same',
}

const endToEndTests = readdirSync(new URL('./e2e', import.meta.url))
  .filter((name) => name.endsWith('.test.ts') && name !== 'admin-policy.test.ts')
  .map((name) => read(`test/e2e/${name}`))

/** Whether a test asks an operation, as `ask('GET', '/keys')`, or runs the command that does it and nothing else. */
function asks(text: string, { request, command }: (typeof rows)[number]): boolean {
  const [method = '', path = ''] = request.split(' /admin/v1')
  const [first = '', ...rest] = path
    .split(/\{\w+\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const anyPath = [first, ...rest].join('(?:\\$\\{[^}]*\\}|[\\w.%:-]+)')
  if (new RegExp(`'${method}',\\s*['"\`]${anyPath}['"\`?]`).test(text)) return true
  const isOnlyOne = rows.filter((row) => row.command === command).length === 1
  if (command === undefined || !isOnlyOne) return false
  const words = command.split(' ').map((word) => `'${word}'`)
  return new RegExp(`[[(,]\\s*${words.join(',\\s*')}`).test(text)
}

/** A command that only holds others: `headgate logs` does something itself. */
function isGroup(words: string, { commands }: ReturnType<typeof createProgram>): boolean {
  return commands.length > 0 && words !== 'logs'
}

describe('docs/admin-api.md', () => {
  it('has the policy of every operation from the output of scripts/write-admin-docs.ts', async () => {
    await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
    const { body } = await createAskAdmin(gateway.url)('GET', '/openapi.json')
    const page = read('docs/admin-api.md')
    expect(renderAdminDocs(page, body), 'run: npx node scripts/write-admin-docs.ts').toBe(page)
  })

  it('names every fact, text format and kind of name that a problem of a request can have', () => {
    const [, section = ''] = read('docs/admin-api.md').split('## The problems of a request')
    const ofInput = [...plainFacts, ...inputFormats, ...namedKinds]
    const names = [...ofInput, ...plainRefusals, ...namedRefusals, ...refusedKinds]
    expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([])
  })
})

describe('docs/adding-an-admin-operation.md', () => {
  const guide = read('docs/adding-an-admin-operation.md')
  const steps = [...guide.matchAll(/^## (\d)\. .*`([\w./-]+)`$/gm)].map(([, step, path]) => ({ step, path }))

  it('names files that exist', () => {
    const paths = [...guide.matchAll(/`((?:src|test|docs)\/[\w./-]+)`/g)].map((match) => match[1] ?? '')
    expect(paths.length).toBeGreaterThan(10)
    expect(paths.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
  })

  it('has a step for each row of its table, with the same file', () => {
    const table = [...guide.matchAll(/^\| (\d)\. [^|]+ \| `([\w./-]+)` \|/gm)]
    expect(steps.length).toBe(7)
    expect(table.map(([, step, path]) => ({ step, path }))).toEqual(steps)
  })

  it('shows the current source', () => {
    const shown = [...guide.matchAll(/```ts (\S+)\n([\s\S]*?)```/g)]
    expect(shown.length).toBeGreaterThan(5)
    for (const [, path = '', code = ''] of shown) expect(read(path), path).toContain(code.trimEnd())
  })
})
