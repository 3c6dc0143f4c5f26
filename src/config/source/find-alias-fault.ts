import { type Document, isAlias, isNode, type Node, visit } from 'yaml'

export interface AliasFault {
  /** Where the alias stands that cannot be followed; 0 where none is to blame. */
  readonly offset: number
  readonly message: string
}

/** Why a document without errors could not be made into plain data. The words hold nothing of the text. */
export function findAliasFault(document: Document): AliasFault {
  const anchors = new Map<string, Node>()
  let fault: AliasFault | undefined
  let last: AliasFault | undefined
  visit(document, {
    Node(_key, node, path) {
      if (!isAlias(node)) {
        const { anchor } = node
        if (anchor !== undefined) anchors.set(anchor, node)
        return undefined
      }
      const target = anchors.get(node.source)
      const offset = node.range?.[0] ?? 0
      last = { offset, message: 'the aliases (*) of this file stand for too many values; write them out' }
      if (target === undefined) fault = { offset, message: UNKNOWN }
      else if (path.some((above) => isNode(above) && above === target)) fault = { offset, message: ENDLESS }
      return fault === undefined ? undefined : visit.BREAK
    },
  })
  return (
    fault ?? last ?? { offset: 0, message: 'this is no plain data; leave tags (!) out, and nest less deeply' }
  )
}

const UNKNOWN =
  'what begins with * is an alias, and nothing before it has an anchor (&) of its name; if it is a text, put it in quotes'
const ENDLESS = 'this alias (*) stands for what it is itself a part of'
