// Source with a call at the start of each function, by which a measurement sees the order in which they begin.
import { parseAst } from 'vite'

export interface KnownFunction {
  readonly path: string
  readonly line: number
  readonly name: string
  /** Whether all it does is to call another function, or to read a member of another object. */
  readonly isForwarder: boolean
}

interface Instrumented {
  readonly source: string
  readonly found: readonly KnownFunction[]
  /** Specifiers of its own files. */
  readonly imports: readonly string[]
}

/** A node of ESTree, as far as it is read here. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

/** `source` is JavaScript. Numbers of functions go on from `firstId`. */
export function instrument(path: string, source: string, firstId: number): Instrumented {
  const found: KnownFunction[] = []
  const insertions: { readonly at: number; readonly text: string }[] = []
  visit(asNode(parseAst(source)), undefined)
  const parts: string[] = []
  let from = 0
  for (const { at, text } of insertions.sort((one, other) => one.at - other.at)) {
    parts.push(source.slice(from, at), text)
    from = at
  }
  const imports = [...source.matchAll(/^\s*(?:import|export)\b[^'";]*?from\s*'(\.[^']+)'/gm)]
  return {
    source: parts.join('') + source.slice(from),
    found,
    imports: imports.map(([, specifier = '']) => specifier),
  }

  function visit(node: Node, parent: Node | undefined): void {
    const { body } = node
    if (isNode(body) && /Function/.test(node.type)) {
      const name = nameOf(node) ?? (parent === undefined ? undefined : nameOf(parent)) ?? ''
      const line = source.slice(0, node.start).split('\n').length
      const call = `globalThis.__entered(${firstId + found.length})`
      found.push({ path, line, name, isForwarder: isForwarding(body) })
      if (body.type === 'BlockStatement') insertions.push({ at: body.start + 1, text: `${call};` })
      else
        insertions.push(
          { at: source.lastIndexOf('=>', body.start) + 2, text: `(${call},` },
          { at: node.end, text: ')' },
        )
    }
    for (const member of Object.values(node)) {
      for (const child of Array.isArray(member) ? member : [member]) if (isNode(child)) visit(child, node)
    }
  }
}

function asNode(value: unknown): Node {
  if (isNode(value)) return value
  throw new Error('the source could not be parsed')
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function nameOf({ id, key }: Node): string | undefined {
  const named = isNode(id) ? id : isNode(key) ? key : undefined
  return named === undefined ? undefined : String(named['name'])
}

/** Whether a body is a single call or member, with nothing made for it. */
function isForwarding(body: Node): boolean {
  const only = body.type === 'BlockStatement' ? onlyStatement(body) : body
  return only !== undefined && isCall(only)
}

function onlyStatement({ body }: Node): Node | undefined {
  if (!Array.isArray(body) || body.length !== 1 || !isNode(body[0])) return undefined
  const { type, argument, expression } = body[0]
  const value = type === 'ReturnStatement' ? argument : expression
  return isNode(value) ? value : undefined
}

function isCall(node: Node): boolean {
  const inner = node['argument'] ?? node['expression']
  if (/^(?:Unary|Await|Chain)Expression$/.test(node.type) && isNode(inner)) return isCall(inner)
  if (node.type === 'MemberExpression') return isPlain(node)
  const args = node['arguments']
  return node.type === 'CallExpression' && Array.isArray(args) && [node['callee'], ...args].every(isPlain)
}

function isPlain(node: unknown): boolean {
  if (!isNode(node)) return false
  if (node.type === 'SpreadElement') return isPlain(node['argument'])
  if (node.type === 'MemberExpression') return isPlain(node['object']) && isNode(node['property'])
  return /^(?:Identifier|Literal|ThisExpression|PrivateIdentifier|Super)$/.test(node.type)
}
