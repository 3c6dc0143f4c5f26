import type { ReactNode } from 'react'

/** Icon shapes on a grid of 20, with one stroke width. */
const shapes = {
  overview: <path d="M3 10.5h3.2L8.5 4l3.2 12 2.4-5.5H17" />,
  requests: <path d="M3 5h14M3 10h9M3 15h12" />,
  usage: <path d="M4 16.500v-5M8 16.500v-9M12 16.500v-6M16 16.500v-12" />,
  key: <path d="M12.5 3.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM9.6 10.4 3.5 16.5M6 14l2 2M13 7.4h.01" />,
  channel: <path d="M4 6h8m0 0-2.5-2.5M12 6 9.5 8.5M16 14H8m0 0 2.5-2.5M8 14l2.5 2.5" />,
  model: <path d="M10 3 16.5 6.5v7L10 17l-6.5-3.5v-7L10 3ZM3.7 6.6 10 10l6.3-3.4M10 10v7" />,
  group: <path d="M4 4h5v5H4zM11 11h5v5h-5zM11 4h5v5h-5zM4 11h5v5H4z" />,
  user: <path d="M10 3.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM4 17c.5-3.2 2.9-5 6-5s5.5 1.8 6 5" />,
  budget: (
    <path d="M10 3v14M13.5 6.200C12.8 5 11.5 4.8 10 4.800c-2 0-3.4.9-3.4 2.5 0 3.6 7 1.7 7 5.4 0 1.7-1.6 2.5-3.6 2.5-1.7 0-3.2-.5-3.8-1.9" />
  ),
  health: (
    <path d="M10 16.500S3.5 12.7 3.5 8.200A3.5 3.5 0 0 1 10 6.300a3.5 3.5 0 0 1 6.5 1.900c0 4.5-6.5 8.3-6.5 8.300Z" />
  ),
  playground: <path d="M4 4.500h12v8H9l-3.5 3v-3H4z" />,
  connect: (
    <path d="M7.5 12.5 12.5 7.500M8.5 6 10 4.500a3.9 3.9 0 0 1 5.5 5.500L14 11.500M11.5 14 10 15.500A3.9 3.9 0 0 1 4.5 10L6 8.5" />
  ),
  nodes: <path d="M4 4h12v5H4zM4 11h12v5H4zM7 6.500h.01M7 13.500h.01" />,
  audit: <path d="M5 3.500h7l3 3v10H5zM12 3.500v3h3M7.5 10h5M7.5 13h5" />,
  settings: <path d="M4 6h6m4 0h2M4 14h2m4 0h6M12 4v4M8 12v4" />,
  search: <path d="M9 3.500a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM13 13l3.5 3.5" />,
  menu: <path d="M3.5 6h13M3.5 10h13M3.5 14h13" />,
  close: <path d="m5 5 10 10M15 5 5 15" />,
  check: <path d="m4 10.5 4 4 8-9" />,
  copy: <path d="M7.5 7.500h8v8h-8zM4.5 12.500v-8h8" />,
  minus: <path d="M5 10h10" />,
  help: <path d="M7 7.500a3 3 0 1 1 4.400 2.700c-.9.5-1.400 1-1.400 2.300M10 15.500h.01" />,
  plus: <path d="M10 4v12M4 10h12" />,
  more: <path d="M5 10h.01M10 10h.01M15 10h.01" strokeWidth="2.4" />,
  down: <path d="m5 8 5 5 5-5" />,
  up: <path d="m5 12 5-5 5 5" />,
  right: <path d="m8 5 5 5-5 5" />,
  left: <path d="m12 5-5 5 5 5" />,
  external: <path d="M8 5H5v10h10v-3M11 4h5v5M16 4l-7 7" />,
  refresh: <path d="M16 10a6 6 0 1 1-1.8-4.300M16 3.500V7h-3.5" />,
  undo: <path d="M7 5 3.5 8.5 7 12M3.5 8.500h8a5 5 0 0 1 0 8H8" />,
  download: <path d="M10 3.500v9m0 0-3.5-3.500M10 12.5 13.5 9M4 16.500h12" />,
  play: <path d="M6 4.500v11l9-5.500z" />,
  pause: <path d="M7 5v10M13 5v10" />,
  stop: <path d="M5.5 5.500h9v9h-9z" />,
  warning: <path d="M10 3.5 17.5 16.500h-15zM10 8.500v3.500M10 14.300h.01" />,
  info: <path d="M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM10 9.500v4M10 6.800h.01" />,
  trash: <path d="M4 6h12M8 6V4h4v2M5.5 6l.8 10.500h7.400L14.5 6" />,
  lock: <path d="M5 9h10v7.500H5zM7 9V6.500a3 3 0 0 1 6 0V9" />,
  sun: (
    <path d="M10 6.500a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM10 2.500v1.500M10 16v1.500M2.5 10H4M16 10h1.500M4.7 4.700l1 1M14.3 14.300l1 1M4.7 15.300l1-1M14.3 5.700l1-1" />
  ),
  moon: <path d="M16 12.200A6.5 6.5 0 0 1 7.8 4 6.5 6.5 0 1 0 16 12.200Z" />,
  language: (
    <path d="M3.5 5h8M7.5 3.500V5M10 5c-.8 3.5-3 6-6 7.500M5.5 7.500c1 2 2.8 3.6 5 4.600M10.5 16.500l3-7.5 3 7.500M11.6 14h3.8" />
  ),
  keyboard: <path d="M3 5.500h14v9H3zM6 8.500h.01M10 8.500h.01M14 8.500h.01M7 11.500h6" />,
  exit: <path d="M8 4H4.500v12H8M12.5 6.5 16 10l-3.5 3.500M16 10H8" />,
  filter: <path d="M3.5 5h13L11.5 11v5l-3-1.500V11z" />,
  clock: <path d="M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM10 6v4.200l2.8 1.8" />,
  edit: <path d="m4 16 .8-3.500L13.5 4 16 6.5 7.5 15.200zM11.5 6l2.5 2.5" />,
  image: <path d="M3.5 4.500h13v11h-13zM6.8 8h.01M4 14l4-4 3 3 2-2 3.5 3.5" />,
  record: (
    <>
      <circle cx="10" cy="10" r="6.5" />
      <circle cx="10" cy="10" r="2.5" fill="currentColor" />
    </>
  ),
  share: <path d="M10 12.500V3.500m0 0L6.8 6.700M10 3.500l3.2 3.200M5 10.500v6h10v-6" />,
} satisfies Readonly<Record<string, ReactNode>>

export type IconName = keyof typeof shapes

interface IconProps {
  readonly name: IconName
  readonly className?: string
}

/** An icon next to a text with the same meaning. Screen readers skip it. */
export function Icon({ name, className = 'size-5' }: IconProps) {
  return (
    <svg
      viewBox="0 0 20 20"
      aria-hidden="true"
      focusable="false"
      className={`shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {shapes[name]}
    </svg>
  )
}
