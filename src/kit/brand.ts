declare const brandName: unique symbol

/** A value that only one place may make: `Branded<string, 'KeyId'>` is a string, but no string is a `KeyId`. */
export type Branded<Value, Name extends string> = Value & { readonly [brandName]: Name }

/** The value without its brand. TypeScript cannot subtract from an intersection, so each base type is named here. */
type Bare<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends bigint
      ? bigint
      : object

/** Marks a value with its brand. Called only by the module that owns the brand, after it checked the value. */
export function brand<Result extends Branded<unknown, string>>(value: Bare<Result>): Result {
  return value as unknown as Result
}
