import { isJsonObject } from '../kit/json.ts'
import type { ConfigPath } from './read-yaml.ts'

export type Variables = Readonly<Record<string, string | undefined>>

export interface PathProblem {
  readonly path: ConfigPath
  readonly message: string
}

export interface Substituted {
  readonly value: unknown
  readonly problems: readonly PathProblem[]
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every text, after the file was parsed, so that no value of a variable
 * can change the file's structure. The default also stands in for an empty variable. `$${` is written for a plain `${`.
 */
export function substituteVariables(value: unknown, variables: Variables): Substituted {
  const problems: PathProblem[] = []
  return { value: substitute(value, []), problems }

  function substitute(part: unknown, path: ConfigPath): unknown {
    if (typeof part === 'string') return substituteText(part, path)
    if (Array.isArray(part)) return part.map((item, index) => substitute(item, [...path, index]))
    if (!isJsonObject(part)) return part
    const members = Object.entries(part).map(([name, item]) => [name, substitute(item, [...path, name])])
    return Object.fromEntries(members)
  }

  function substituteText(text: string, path: ConfigPath): string {
    return text.replace(/\$\$\{|\$\{([^}]*)(\}?)/g, (whole, inner: string | undefined, end: string) => {
      if (inner === undefined) return '${'
      const [, name, fallback] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? []
      if (name === undefined || end === '') {
        problems.push({
          path,
          message: `a variable is written \${NAME} or \${NAME:-default}; for a plain "\${" write "$\${"`,
        })
        return whole
      }
      const found = variables[name]
      if (found !== undefined && (found !== '' || fallback === undefined)) return found
      if (fallback !== undefined) return fallback
      problems.push({
        path,
        message: `the environment variable ${name} is not set; set it, or give a default with \${${name}:-default}`,
      })
      return whole
    })
  }
}
