import type { Route } from '../route.ts'

export interface FoundRoute {
  readonly route: Route
  /** Parts of the path that the route names, decoded. */
  readonly params: Readonly<Record<string, string>>
}

/** Finds the route of a method and a path. */
export interface RouteFinder {
  /** Undefined where there is none. */
  find(method: string, path: string): FoundRoute | 'bad-escape' | undefined
  /** The methods that some route takes on this path, for the Allow header; empty where there is no such path. */
  methodsOf(path: string): readonly string[]
}

/** No id and no name that a path may hold in one part is longer. */
const MOST_PART_CHARACTERS = 512

const noParams = {}

export function createRouteFinder(routes: readonly Route[]): RouteFinder {
  // Nearly every request asks for one of these, which one look-up finds.
  const plain = new Map<string, Map<string, FoundRoute>>()
  const patterns: Pattern[] = []
  for (const route of routes) {
    if (/[:*]/.test(route.path)) {
      patterns.push({ route, parts: route.path.split('/') })
      continue
    }
    const methods = plain.get(route.path) ?? new Map<string, FoundRoute>()
    plain.set(route.path, methods.set(route.method, { route, params: noParams }))
  }
  // A part that is named goes before the rest of a path.
  patterns.sort((left, right) => Number(isRest(left)) - Number(isRest(right)))

  function findPlain(method: string, path: string): FoundRoute | undefined {
    const methods = plain.get(path)
    return methods?.get(method) ?? (method === 'HEAD' ? methods?.get('GET') : undefined)
  }

  function findPattern(method: string, parts: readonly string[]): FoundRoute | undefined {
    for (const { route, parts: wanted } of patterns) {
      if (route.method !== method && !(method === 'HEAD' && route.method === 'GET')) continue
      const params = match(wanted, parts)
      if (params !== undefined) return { route, params }
    }
    return undefined
  }

  return {
    find(method, path) {
      const found = findPlain(method, path)
      if (found !== undefined) return found
      const parts = decode(path)
      if (parts === undefined) return 'bad-escape'
      return findPlain(method, joinParts(parts)) ?? findPattern(method, parts)
    },
    methodsOf(path) {
      const parts = decode(path) ?? []
      const methods = new Set(plain.get(joinParts(parts))?.keys())
      for (const { route, parts: wanted } of patterns) {
        if (match(wanted, parts) !== undefined) methods.add(route.method)
      }
      if (methods.has('GET')) methods.add('HEAD')
      return [...methods].sort()
    },
  }
}

interface Pattern {
  readonly route: Route
  readonly parts: readonly string[]
}

function isRest({ parts }: Pattern): boolean {
  return parts.at(-1) === '*'
}

function match(
  wanted: readonly string[],
  parts: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const hasRest = wanted.at(-1) === '*'
  if (hasRest ? parts.length < wanted.length : parts.length !== wanted.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, want] of wanted.entries()) {
    const part = parts[index] ?? ''
    if (want === '*' && hasRest && index === wanted.length - 1) params['*'] = parts.slice(index).join('/')
    else if (!want.startsWith(':')) {
      if (part !== want) return undefined
    } else {
      if (part === '' || part.length > MOST_PART_CHARACTERS) return undefined
      params[want.slice(1)] = part
    }
  }
  return params
}

/** Of a path that no route names, where a part holds a slash that was escaped: it parts nothing. */
function joinParts(parts: readonly string[]): string {
  return parts.some((part) => part.includes('/')) ? '' : parts.join('/')
}

/** Undefined where an escape is none. */
function decode(path: string): readonly string[] | undefined {
  const parts = path.split('/')
  if (!path.includes('%')) return parts
  try {
    return parts.map(decodeURIComponent)
  } catch {
    return undefined
  }
}
