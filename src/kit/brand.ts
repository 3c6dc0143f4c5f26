declare const brandName: unique symbol

/** A value that only one place may make: `Branded<string, 'KeyId'>` is a string, but no string is a `KeyId`. */
export type Branded<Value, Name extends string> = Value & { readonly [brandName]: Name }

/** Marks a value with its brand. Called only by the module that owns the brand, after it checked the value. */
export function brand<Result extends Branded<unknown, string>>(
  value: Result extends Branded<infer Value, string> ? Value : never,
): Result {
  return value as unknown as Result
}
