import { expect, it } from 'vitest'
import {
  childrenOf,
  isFunction,
  isNode,
  nodesOf,
  parseSources,
  type SyntaxNode,
} from './support/source-trees.ts'

const sources = parseSources('src/**/*.ts')

/** The name by which something is declared or called. */
function nameIn(value: unknown): string | undefined {
  if (!isNode(value)) return undefined
  if (value.type === 'Identifier') return String(value['name'])
  if (value.type === 'PrivateIdentifier') return `#${String(value['name'])}`
  return value.type === 'MemberExpression' ? nameIn(value['property']) : undefined
}

function givesPromise(node: SyntaxNode, text: string): boolean {
  const { returnType } = node
  const isPromise = isNode(returnType) && /^:\s*Promise</.test(text.slice(returnType.start))
  return node['async'] === true || isPromise
}

/** The names of all functions and methods that give a promise. */
function namesOfAsync(): ReadonlySet<string> {
  const names = sources.flatMap(({ program, text }) =>
    nodesOf(program).flatMap((node) => {
      const made = [node, node['value'], node['init']].filter(isNode).find(isFunction)
      const isAsync = made === undefined ? givesPromise(node, text) : givesPromise(made, text)
      const name = isAsync ? nameIn(node['id'] ?? node['key']) : undefined
      return name === undefined ? [] : [name]
    }),
  )
  return new Set(names)
}

/** The calls that an expression may be the result of, without a word to wait for them. */
function resultsOf(node: unknown): readonly SyntaxNode[] {
  if (!isNode(node)) return []
  if (node.type === 'CallExpression') return [node]
  return [node['consequent'], node['alternate'], node['right'], node['expression']].flatMap(resultsOf)
}

/** What is returned within a block that disposes of something at its end. */
function returnsUnderUsing(node: SyntaxNode, isInside = false): readonly SyntaxNode[] {
  if (node.type === 'ReturnStatement') return isInside ? resultsOf(node['argument']) : []
  const children = childrenOf(node)
  const disposes = children.some((child) => /using/.test(String(child['kind'])))
  const isNowInside = disposes || (isInside && !isFunction(node))
  return children.flatMap((child) => returnsUnderUsing(child, isNowInside && !isFunction(child)))
}

it('a promise is awaited if its resources are disposed of at the end of the block', () => {
  const asyncNames = namesOfAsync()
  const found = sources.flatMap(({ file, text, program }) =>
    returnsUnderUsing(program)
      .filter(({ callee }) => asyncNames.has(nameIn(callee) ?? ''))
      .map(({ start }) => `${file}:${text.slice(0, start).split('\n').length}`),
  )
  expect(found).toEqual([])
})
