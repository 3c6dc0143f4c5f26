import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { ConfigError, type ConfigProblem } from '../../../src/config/config-error.ts'
import { readYaml } from '../../../src/config/source/read-yaml.ts'
import { writePath } from '../../../src/config/source/write-path.ts'
import { reasonOf } from '../../../src/kit/errors/reason-of.ts'

/**
 * Reads a script of faults, YAML or JSON. Throws `ConfigError` with every problem, each with its line and column.
 */
export function readScript<Schema extends z.ZodType>(path: string, schema: Schema): z.input<Schema> {
  const { value, problems, locate } = readYaml(readText(path), path)
  if (problems.length > 0) throw new ConfigError(problems)
  const checked = schema.safeParse(value)
  if (checked.success) return value as z.input<Schema>
  const wrong = checked.error.issues.flatMap((issue) => deepestIssues(issue, []))
  throw new ConfigError(
    wrong.map(
      ({ at, message, part }): ConfigProblem => ({
        file: path,
        ...locate(at, part),
        path: writePath(at),
        message,
      }),
    ),
  )
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = reasonOf(error)
    throw new ConfigError([
      { file: path, line: 1, column: 1, path: '', message: `cannot be read: ${reason}` },
    ])
  }
}

interface Found {
  readonly at: readonly (string | number)[]
  readonly message: string
  readonly part: 'key' | 'value'
}

/** The issues of the kind that a value matches best, where it may have several kinds. */
function deepestIssues(issue: z.core.$ZodIssue, above: Found['at']): readonly Found[] {
  const at = [...above, ...issue.path.filter((step) => typeof step !== 'symbol')]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => ({
      at: [...at, name],
      message: 'is not a known name',
      part: 'key' as const,
    }))
  }
  if (issue.code !== 'invalid_union') return [{ at, message: issue.message, part: 'value' }]
  const branches = issue.errors.map((issues) => issues.flatMap((each) => deepestIssues(each, at)))
  const depthOf = (found: readonly Found[]) => Math.max(0, ...found.map((each) => each.at.length))
  const closest = branches.toSorted(
    (left, right) => depthOf(right) - depthOf(left) || left.length - right.length,
  )[0]
  return closest ?? [{ at, message: issue.message, part: 'value' }]
}
