import type { Route } from './route.ts'

/** The methods that some route takes on this path, for the Allow header; empty where there is no such path. */
export function findAllowedMethods(routes: readonly Route[], path: string): readonly string[] {
  const methods = new Set<string>()
  for (const route of routes) {
    if (!matches(route.path, path)) continue
    methods.add(route.method)
    if (route.method === 'GET') methods.add('HEAD')
  }
  return [...methods].sort()
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const parts = path.split('/')
  if (wanted.at(-1) === '*') {
    return parts.length >= wanted.length && wanted.slice(0, -1).every((part, index) => part === parts[index])
  }
  return (
    wanted.length === parts.length &&
    wanted.every((part, index) => part === parts[index] || (part.startsWith(':') && parts[index] !== ''))
  )
}
