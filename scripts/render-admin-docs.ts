import { z } from 'zod'
import { renderTable } from './render-table.ts'

const policySchema = z.object({
  access: z.enum(['public', 'self', 'own', 'read', 'write', 'owner']),
  roles: z.array(z.string()),
  tokens: z.boolean(),
  scope: z.string().nullable(),
  recent_password: z.union([z.boolean(), z.array(z.string())]),
})

/** The part of the OpenAPI document that the table is made of. */
const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ summary: z.string(), 'x-headgate-policy': policySchema })),
  ),
})

type Policy = z.output<typeof policySchema>

const BEGIN = '<!-- begin operations -->'
const END = '<!-- end operations -->'

/** Replaces the table of docs/admin-api.md by what the OpenAPI document of a running gateway says. */
export function renderAdminDocs(page: string, document: unknown): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (from === -1 || to < from) throw new Error('docs/admin-api.md has no section "operations"')
  return `${page.slice(0, from + BEGIN.length)}\n\n${renderOperations(document)}\n\n${page.slice(to)}`
}

function renderOperations(document: unknown): string {
  const rows = Object.entries(documentSchema.parse(document).paths)
    .toSorted(([one], [other]) => compare(one, other))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary, 'x-headgate-policy': policy }]) => [
        `\`${method.toUpperCase()} ${path}\``,
        describeRoles(policy),
        describeScope(policy),
        describePassword(policy),
        summary,
      ]),
    )
  return renderTable(['Request', 'Who', 'Scope of a token', 'Password again', 'What it does'], rows)
}

/** Compares by code units, so that every machine writes the same order. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

function describeRoles({ access, roles }: Policy): string {
  switch (access) {
    case 'public':
      return 'everybody'
    case 'self':
      return 'signed-in users'
    case 'own':
      return roles.map((role) => (role === 'member' ? 'member: what is theirs' : role)).join(', ')
    case 'read':
    case 'write':
    case 'owner':
      return roles.join(', ')
  }
}

function describeScope({ access, tokens, scope }: Policy): string {
  if (access === 'public') return '–'
  if (scope !== null) return `\`${scope}\``
  return tokens ? 'any' : 'no token'
}

function describePassword({ recent_password: recent }: Policy): string {
  if (typeof recent === 'boolean') return recent ? 'yes' : ''
  return `for ${recent.map((field) => `\`${field}\``).join(', ')}`
}
