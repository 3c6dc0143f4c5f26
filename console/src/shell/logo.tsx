/** The mark and the name. */
export function Logo() {
  return (
    <span className="flex items-center gap-2.5 text-base font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7">
        <rect width="32" height="32" rx="8" className="fill-accent-solid" />
        <path
          d="M8 24V11a3 3 0 0 1 3-3h10a3 3 0 0 1 3 3v13M13 24v-9M19 24v-9M8 15h16"
          fill="none"
          stroke="#fff"
          strokeWidth="2.4"
          strokeLinecap="round"
        />
      </svg>
      {PRODUCT}
    </span>
  )
}

/** A name is the same in every language. */
export const PRODUCT = 'Headgate'
