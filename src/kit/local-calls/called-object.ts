import type { CallClient } from './call-client.ts'
import type { CalledObject } from './call-host.ts'

/** The names of an object's methods that other processes may call. */
export type MethodNames<Called> = readonly (keyof Called & string)[]

/**
 * Makes a proxy for an object of another process. Each method of the proxy is a call. The type is not checked,
 * because both processes run the same program.
 */
export function createRemoteObject<Called extends object>(
  client: Pick<CallClient, 'call'>,
  name: string,
  methods: MethodNames<Called>,
): Called {
  const calls = methods.map((method) => [method, (...args: unknown[]) => client.call(name, method, args)])
  return Object.fromEntries(calls)
}

/** Lets other processes call the methods of an object that all of them share. */
export function callable<Called extends object>(object: Called, methods: MethodNames<Called>): CalledObject {
  return { methods: new Set(methods), objectFor: () => object }
}

/** Lets other processes call the methods of an object that each process has for itself. */
export function callableFor<Called extends object>(
  objectFor: (process: string) => Called,
  methods: MethodNames<Called>,
): CalledObject {
  return { methods: new Set(methods), objectFor }
}
