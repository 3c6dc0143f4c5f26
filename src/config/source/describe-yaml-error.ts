import { type Document, type ErrorCode, isAlias, isNode, type Node, visit } from 'yaml'

const QUOTE_IT = 'if it belongs to a text, put the text in quotes'

/**
 * Our own words for the library's error codes. The library's words quote the source, which may be a secret without
 * quotes.
 */
const words: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: `an alias (*) can have neither anchor (&) nor tag (!); ${QUOTE_IT}`,
  BAD_ALIAS: `an anchor (&) or alias (*) must have a name that does not end in a colon; ${QUOTE_IT}`,
  BAD_COLLECTION_TYPE: 'the tag (!) is not one for a map or a list; leave it out',
  BAD_DIRECTIVE: `a line that begins with % is no directive that is known; ${QUOTE_IT}`,
  BAD_DQ_ESCAPE:
    'this is no escape in double quotes; write two backslashes for one, or put the text in single quotes',
  BAD_INDENT: 'this is indented otherwise than what it belongs to, or stands in a bracket that is not closed',
  BAD_PROP_ORDER: `an anchor (&) or a tag (!) must stand behind the sign of its entry; ${QUOTE_IT}`,
  BAD_SCALAR_START: 'this text begins with a sign that YAML reads as its own; put it in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'here a map or a list begins where none can; put a text that holds a colon and a space in quotes, or begin a new line',
  BLOCK_IN_FLOW: `inside of brackets no map or list can begin without its own brackets; ${QUOTE_IT}`,
  DUPLICATE_KEY: 'this name is given twice; leave one out',
  IMPOSSIBLE: 'this cannot be read',
  KEY_OVER_1024_CHARS: 'this name is longer than 1024 characters',
  MISSING_CHAR:
    'a sign is missing, such as a closing quote or bracket, a comma, a colon, or the space behind a colon or before a comment',
  MULTILINE_IMPLICIT_KEY: 'a name must stand on one line, with its colon behind it',
  MULTIPLE_ANCHORS: `there are two anchors (&) for one value; ${QUOTE_IT}`,
  MULTIPLE_DOCS: 'here a second document begins, and a file holds one; leave "---" and what follows out',
  MULTIPLE_TAGS: `there are two tags (!) for one value; ${QUOTE_IT}`,
  NON_STRING_KEY: 'a name must be a text, and no map, list or alias; put it in quotes',
  RESOURCE_EXHAUSTION: 'this is nested too deeply',
  TAB_AS_INDENT: 'lines are indented with spaces, and here is a tab',
  TAG_RESOLVE_FAILED: `what begins with ! is a tag, and this tag is unknown or does not fit its value; ${QUOTE_IT}`,
  UNEXPECTED_TOKEN: `this does not belong here; ${QUOTE_IT}, also a variable between brackets: { secret: "\${NAME}" }`,
}

/** Describes the fault without quoting the text. */
export function describeYamlError(code: ErrorCode): string {
  return words[code]
}

interface AliasFault {
  /** The offset of the alias that cannot be resolved. 0 where no single alias is the cause. */
  readonly offset: number
  readonly message: string
}

/** Finds why a document without errors could not be converted to plain data. The message does not quote the text. */
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
      else if (path.some((above) => isNode(above) && above === target))
        fault = { offset, message: ENDLESS_ALIAS }
      return fault === undefined ? undefined : visit.BREAK
    },
  })
  return (
    fault ?? last ?? { offset: 0, message: 'this is no plain data; leave tags (!) out, and nest less deeply' }
  )
}

const UNKNOWN =
  'what begins with * is an alias, and nothing before it has an anchor (&) of its name; if it is a text, put it in quotes'
const ENDLESS_ALIAS = 'this alias (*) stands for what it is itself a part of'
