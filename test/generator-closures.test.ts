import { expect, it } from 'vitest'
import { childrenOf, isFunction, lineOf, parseSources, type SyntaxNode } from './support/source-trees.ts'

/** The generators that are created again each time a function runs; methods of a class are made once. */
function madeInFunctions(node: SyntaxNode, isInside: boolean): readonly SyntaxNode[] {
  const isMade = isInside && node['generator'] === true && node['async'] !== true
  const found = childrenOf(node).flatMap((child) => madeInFunctions(child, isInsideOf(node, isInside)))
  return isMade ? [node, ...found] : found
}

function isInsideOf(node: SyntaxNode, isInside: boolean): boolean {
  if (node.type === 'ClassBody') return false
  return isInside || isFunction(node)
}

// The engine makes a hidden class for each generator at its first call. It lives until the next full collection, and
// with it all that the generator refers to, which is a request with its bodies (decision 0042).
it.each(['src/pipeline', 'src/wire', 'src/canonical', 'src/kit'])(
  'no function of %s creates a generator',
  (folder) => {
    const sources = parseSources(`${folder}/**/*.ts`)
    expect(sources.length).toBeGreaterThan(0)
    const made = sources.flatMap((source) =>
      madeInFunctions(source.program, false).map((node) => `${source.file}:${lineOf(source, node)}`),
    )
    expect(made).toEqual([])
  },
)
