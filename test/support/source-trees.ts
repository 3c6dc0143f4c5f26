import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseSync } from 'rolldown/utils'

const root = resolve(import.meta.dirname, '../..')

/** A node of a syntax tree, as ESTree has it. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

export interface SourceTree {
  readonly file: string
  readonly text: string
  readonly program: SyntaxNode
}

/** The files of the source that a pattern names, without tests. */
export function parseSources(pattern: string): readonly SourceTree[] {
  const files = globSync(pattern, { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  return files.map((file) => {
    const text = readFileSync(resolve(root, file), 'utf8')
    const program: unknown = parseSync(file, text, { lang: 'ts' }).program
    if (!isNode(program)) throw new Error(`${file} was not parsed`)
    return { file, text, program }
  })
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

export const childrenOf = (node: SyntaxNode) => Object.values(node).flat().filter(isNode)

export const isFunction = ({ type }: SyntaxNode) => /Function/.test(type)

export function nodesOf(node: SyntaxNode): readonly SyntaxNode[] {
  return [node, ...childrenOf(node).flatMap(nodesOf)]
}

export function lineOf({ text }: Pick<SourceTree, 'text'>, { start }: SyntaxNode): number {
  return text.slice(0, start).split('\n').length
}
