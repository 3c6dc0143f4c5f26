import type { ProblemFact } from '../../../src/admin/problem-contract.ts'
import { writeMoment } from '../language/format.ts'
import { findText, t } from '../language/language.ts'

interface Problem {
  readonly path: string
  readonly message: string
  readonly fact?: ProblemFact | undefined
}

/** A problem in the language of the page. If the console does not know its code, the gateway's message. */
export function writeProblem({ message, fact }: Pick<Problem, 'message' | 'fact'>): string {
  return (fact && (writeInputFact(fact) ?? writeRefusal(fact))) ?? message
}

/** The problem with its path. A refusal is a whole statement and needs no path. */
export function writeProblemAt(problem: Problem): string {
  const { path, message, fact } = problem
  const refusal = fact && writeRefusal(fact)
  if (refusal !== undefined) return refusal
  const said = (fact && writeInputFact(fact)) ?? message
  return path === '' ? said : `${path}: ${said}`
}

function writeInputFact({ code, values }: ProblemFact): string | undefined {
  const { expected, format, kind, nearest } = values
  const variant = expected ?? format ?? kind
  const key = variant === undefined ? code : `${code}.${variant}`
  const said = findText(`problem.${key}`, { ...writeLists(values), ...writeAlternatives(values) })
  return said !== undefined && typeof nearest === 'string'
    ? `${said} ${t('problem.nearest', { nearest })}`
    : said
}

function writeLists(values: ProblemFact['values']): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )
}

/** The lists of facts that are worded themselves: what is allowed, and the names of a circle. */
function writeAlternatives({ values, types, models }: ProblemFact['values']): Record<string, string> {
  const named = listOf(types).map((type) => findText(`problem.type.${type}`) ?? type)
  return { allowed: [...listOf(values), ...named].join(', '), circle: listOf(models).join(' → ') }
}

function writeRefusal({ code, values }: ProblemFact): string | undefined {
  const { change, kind, at, roles, role, groups } = values
  const key = change === undefined ? code : `${code}.${change}`
  return findText(`refusal.${key}`, {
    ...writeLists(values),
    ...(kind !== undefined && { noun: findText(`refusal.noun.${kind}`) ?? String(kind) }),
    ...(typeof at === 'string' && { at: writeMoment(at) }),
    ...(role !== undefined && {
      own: nameRole(String(role)),
      allowed: listOf(roles).map(nameRole).join(', '),
    }),
    ...(groups !== undefined && { yours: listOf(groups).join(', ') || '–' }),
  })
}

function nameRole(role: string): string {
  return findText(`role.${role}`) ?? role
}

function listOf(value: ProblemFact['values'][string] | undefined): readonly string[] {
  return Array.isArray(value) ? value : []
}
