/** One line of a Dockerfile, continued lines joined. */
export interface Instruction {
  readonly word: string
  readonly rest: string
}

/** A stage: its own name, and what is done in it, in order. */
export interface Stage {
  readonly name: string
  readonly instructions: readonly Instruction[]
}

export function readDockerfile(text: string): readonly Stage[] {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
  const stages: { name: string; instructions: Instruction[] }[] = []
  for (const line of lines) {
    const [, word = '', rest = ''] = /^\s*([A-Z]+)\s+(.*?)\s*$/.exec(line) ?? []
    if (word === '') continue
    if (word === 'FROM') stages.push({ name: / AS (\S+)$/.exec(rest)?.[1] ?? 'image', instructions: [] })
    else stages.at(-1)?.instructions.push({ word, rest })
  }
  return stages
}

/** The words of an instruction in its JSON form. */
export function readWords(rest: string): readonly string[] {
  const words: unknown = JSON.parse(rest.slice(rest.indexOf('[')))
  return Array.isArray(words) ? words.map(String) : []
}

/** `NAME=value` pairs, without quotes or spaces in the values. */
export function readPairs(rest: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...rest.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  )
}
