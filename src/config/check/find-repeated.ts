import type { PathProblem } from '../source/substitute-variables.ts'

/** Finds the entries of a list whose field has the same value as an earlier entry. */
export function findRepeated(
  values: readonly string[] = [],
  section: readonly string[],
  field: string,
): readonly PathProblem[] {
  return values.flatMap((value, index) => {
    const first = values.indexOf(value)
    if (first === index) return []
    const message = `is the same as that of ${section.join('.')}[${first}]; each needs its own`
    return [{ path: [...section, index, field], message, fact: { code: 'repeated', values: {} } }]
  })
}
