import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createProgram } from '../src/cli/main.ts'
import { listCommands } from '../src/cli/output/help-examples.ts'
import { createAskAdmin } from './support/ask-admin.ts'
import { startGateway } from './support/start-gateway.ts'

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
}

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** The rows of the API's table: the request, and the words of the command behind "headgate". */
const rows = [
  ...read('docs/operating.md').matchAll(
    /^\| `([A-Z]+ \/admin\/v1\/[^`]+)` \| (?:–|`headgate ([^`]+)`) \| .+ \|$/gm,
  ),
].map(([, request = '', command]) => ({ request, command }))

describe('the table of the admin API in docs/operating.md', () => {
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

  it('has no path parameter that the OpenAPI document leaves undescribed', async () => {
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

  it('names every command that does one of its operations', () => {
    const named = new Set(rows.map(({ command }) => command))
    const groups = [
      'keys',
      'channels',
      'models',
      'config',
      'audit',
      'logs',
      'budgets',
      'credits',
      'codes',
      'usage',
      'ledger',
    ]
    const commands = listCommands(createProgram())
      .filter(({ words, command }) => groups.includes(words.split(' ')[0] ?? '') && !isGroup(words, command))
      .map(({ words }) => words)
    // The PATCH of a key has three commands, and its row the first.
    const others = ['keys disable', 'keys enable']
    const missing = commands.filter((words) => !named.has(words) && !others.includes(words))
    expect(missing, 'commands without a row in docs/operating.md').toEqual([])
  })
})

/** A command that only holds others: `headgate logs` does something itself. */
function isGroup(words: string, { commands }: ReturnType<typeof createProgram>): boolean {
  return commands.length > 0 && words !== 'logs'
}

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

  it('shows the source as it is', () => {
    const shown = [...guide.matchAll(/```ts (\S+)\n([\s\S]*?)```/g)]
    expect(shown.length).toBeGreaterThan(5)
    for (const [, path = '', code = ''] of shown) expect(read(path), path).toContain(code.trimEnd())
  })
})
