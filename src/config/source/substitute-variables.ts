import { resolve } from 'node:path'
import { isJsonObject } from '../../kit/json/json.ts'
import type { InputFact } from '../../kit/schema/input-fact.ts'
import { readSecretFile } from '../read-secret-file.ts'
import type { ConfigPath } from './read-yaml.ts'

export type Variables = Readonly<Record<string, string | undefined>>

export interface PathProblem {
  readonly path: ConfigPath
  readonly message: string
  /** Undefined where the message has its fact or says it alone. */
  readonly fact?: InputFact | undefined
  /** The other values that it is judged by: where one of these is broken, there may be no such problem. */
  readonly dependsOn?: readonly ConfigPath[]
}

/** The values of `${NAME}` and `${file:PATH}`. */
export interface Substitutes {
  readonly variables: Variables
  /** The base folder of relative file paths. */
  readonly folder: string
}

export interface Substituted {
  readonly value: unknown
  /** The texts that were read from files. They must never be shown. */
  readonly fileTexts: readonly string[]
  readonly problems: readonly PathProblem[]
}

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `${file:PATH}` in every text after the file was parsed, so that no value
 * of a variable or a file can change its structure. The default also applies to an empty variable. `$${` is an escaped
 * `${`.
 */
export function substituteVariables(value: unknown, substitutes: Substitutes): Substituted {
  const substitution = new Substitution(substitutes)
  const substituted = substitution.substitute(value, [])
  return { value: substituted, problems: substitution.problems, fileTexts: substitution.fileTexts() }
}

class Substitution {
  readonly problems: PathProblem[] = []
  readonly #substitutes: Substitutes
  /** The contents by path. Each file is read once, so that a change during the run cannot give two values. */
  readonly #files = new Map<string, ReturnType<typeof readSecretFile>>()

  constructor(substitutes: Substitutes) {
    this.#substitutes = substitutes
  }

  fileTexts(): readonly string[] {
    return [...this.#files.values()].flatMap((file) => (file.type === 'text' ? [file.text] : []))
  }

  substitute(part: unknown, path: ConfigPath): unknown {
    if (typeof part === 'string') return this.#substituteText(part, path)
    if (Array.isArray(part)) return part.map((item, index) => this.substitute(item, [...path, index]))
    if (!isJsonObject(part)) return part
    const members = Object.entries(part).map(([name, item]) => [name, this.substitute(item, [...path, name])])
    return Object.fromEntries(members)
  }

  #substituteText(text: string, path: ConfigPath): string {
    return text.replace(/\$\$\{|\$\{([^}]*)(\}?)/g, (whole, inner: string | undefined, end: string) => {
      if (inner === undefined) return '${'
      const [, fileName] = /^file:(.+)$/s.exec(inner) ?? []
      if (fileName !== undefined && end !== '') return this.#readFile(fileName, path) ?? whole
      const [, name, fallback] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? []
      if (name !== undefined && end !== '') return this.#readVariable(name, fallback, path) ?? whole
      const message = `a variable is written \${NAME} or \${NAME:-default}, a file \${file:PATH}; for a plain "\${" write "$\${"`
      this.problems.push({ path, message })
      return whole
    })
  }

  #readFile(name: string, path: ConfigPath): string | undefined {
    const fullPath = resolve(this.#substitutes.folder, name)
    const file = this.#files.get(fullPath) ?? readSecretFile(fullPath)
    this.#files.set(fullPath, file)
    if (file.type === 'text') return file.text
    this.problems.push({ path, message: `the file ${fullPath} ${file.reason}` })
    return undefined
  }

  #readVariable(name: string, fallback: string | undefined, path: ConfigPath): string | undefined {
    const found = this.#substitutes.variables[name]
    if (found !== undefined && (found !== '' || fallback === undefined)) return found
    if (fallback !== undefined) return fallback
    const message = `the environment variable ${name} is not set; set it, or give a default with \${${name}:-default}`
    this.problems.push({ path, message })
    return undefined
  }
}
