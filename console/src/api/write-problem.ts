import type { ProblemFact } from '../../../src/admin/problem-contract.ts'
import { findText, t } from '../language/language.ts'

interface Problem {
  readonly path: string
  readonly message: string
  readonly fact?: ProblemFact | undefined
}

/** A problem in the language of the page. If the console does not know its code, the gateway's message. */
export function writeProblem({ message, fact }: Pick<Problem, 'message' | 'fact'>): string {
  if (fact === undefined) return message
  const { expected, format, kind, nearest } = fact.values
  const variant = expected ?? format ?? kind
  const key = variant === undefined ? fact.code : `${fact.code}.${variant}`
  const said = findText(`problem.${key}`, { ...writeLists(fact.values), ...writeParts(fact) })
  if (said === undefined) return message
  return typeof nearest === 'string' ? `${said} ${t('problem.nearest', { nearest })}` : said
}

/** The problem with its path. */
export function writeProblemAt(problem: Problem): string {
  const said = writeProblem(problem)
  return problem.path === '' ? said : `${problem.path}: ${said}`
}

function writeLists(values: ProblemFact['values']): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )
}

/** The parts of a text that are worded themselves. */
function writeParts({ code, values }: ProblemFact): Readonly<Record<string, string>> {
  switch (code) {
    case 'no_alternative': {
      const types = listOf(values['types']).map((type) => findText(`problem.type.${type}`) ?? type)
      return { allowed: [...listOf(values['values']), ...types].join(', ') }
    }
    case 'fallback_circle':
      return { circle: listOf(values['models']).join(' → ') }
    default:
      return {}
  }
}

function listOf(value: ProblemFact['values'][string] | undefined): readonly string[] {
  return Array.isArray(value) ? value : []
}
