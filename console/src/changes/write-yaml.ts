type Written = string | number | boolean | null | readonly Written[] | { readonly [name: string]: Written }

/** Scalars that need no quotes in YAML. All others are written as JSON, which is also YAML. */
const PLAIN_SCALAR = /^[a-zA-Z/][\w./:-]*[\w/]$/
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i

/** A value in the syntax of the configuration file, to paste there. */
export function writeYaml(value: unknown): string {
  return writeLines(readJson(value)).join('\n')
}

function readJson(value: unknown): Written {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  if (Array.isArray(value)) return value.map(readJson)
  if (typeof value !== 'object') return null
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, readJson(each)]))
}

function isList(value: Written): value is readonly Written[] {
  return Array.isArray(value)
}

function writeLines(value: Written): readonly string[] {
  if (typeof value !== 'object' || value === null) return [writeScalar(value)]
  if (isList(value)) return value.length === 0 ? ['[]'] : value.flatMap(writeItem)
  const members = Object.entries(value)
  return members.length === 0 ? ['{}'] : members.flatMap(([name, each]) => writeMember(name, each))
}

function writeItem(item: Written): readonly string[] {
  return writeLines(item).map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`))
}

function writeMember(name: string, value: Written): readonly string[] {
  const key = writeScalar(name)
  const lines = writeLines(value)
  const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  return isNested ? [`${key}:`, ...lines.map((line) => `  ${line}`)] : [`${key}: ${lines.join('')}`]
}

function writeScalar(value: string | number | boolean | null): string {
  const isPlain = typeof value === 'string' && PLAIN_SCALAR.test(value) && !RESERVED.test(value)
  return isPlain ? value : JSON.stringify(value)
}
