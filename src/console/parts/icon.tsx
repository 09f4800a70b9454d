// The icons: lines on a grid of 20 by 20, in the colour of the text around them.

const PATHS = {
  pulse: 'M2 10.500h3.500l2.5-6 4 11 2.5-5H18',
  plug: 'M7 2.500v4M13 2.500v4M5 6.500h10v3a5 5 0 0 1-10 0zM10 14.500v3',
  globe: 'M10 2.500a7.5 7.5 0 1 0 0 15 7.5 7.5 0 1 0 0-15M2.5 10h15M10 2.500c-5 4-5 11 0 15 5-4 5-11 0-15',
  calendar: 'M3.5 5h13v11.500h-13zM3.5 8.500h13M7 2.800V6M13 2.800V6',
  cloud: 'M6 15.500a3.5 3.5 0 0 1-.3-7 4.5 4.5 0 0 1 8.7-.6A3.8 3.8 0 0 1 14 15.500z',
  sliders: 'M3 6h8M15 6h2M3 14h2M9 14h8M11 4v4M7 12v4',
  book: 'M10 5c-2-1.3-4.5-1.5-7-1.200v11.500c2.5-.3 5-.1 7 1.2 2-1.3 4.5-1.5 7-1.200V3.800C14.5 3.5 12 3.7 10 5zM10 5v11.5',
  search: 'M9 3.500a5.5 5.5 0 1 0 0 11 5.5 5.5 0 1 0 0-11M13 13l4 4',
  close: 'M5 5l10 10M15 5L5 15',
  copy: 'M7 7h9.500v9.500H7zM13 7V3.500H3.500V13H7',
  check: 'M4 10.500l4 4 8-9',
  pause: 'M7 4.500v11M13 4.500v11',
  play: 'M6 4l10 6-10 6z',
  trash: 'M4 5.500h12M8 5.500V3.500h4v2M5.5 5.500l.7 11h7.600l.7-11',
  again: 'M16 10a6 6 0 1 1-1.8-4.300M16.5 3v3.500H13',
  rule: 'M4 5h12M4 10h7M4 15h4M13 13l2 2 3-4',
  sun: 'M10 6.500a3.5 3.5 0 1 0 0 7 3.5 3.5 0 1 0 0-7M10 2v1.500M10 16.500V18M2 10h1.500M16.5 10H18M4.3 4.300l1.1 1.100M14.6 14.600l1.1 1.100M4.3 15.700l1.1-1.100M14.6 5.400l1.1-1.1',
  moon: 'M16.5 12A7 7 0 0 1 8 3.500a7 7 0 1 0 8.5 8.500z',
  display: 'M2.5 4h15v9.500h-15zM7 17h6M10 13.500V17',
  warning: 'M10 3l7.5 13.500h-15zM10 8v4M10 14v.5',
  bolt: 'M11 2.500L4.5 11.500H9.500L9 17.500l6.5-9H10.500z',
  clock: 'M10 2.500a7.5 7.5 0 1 0 0 15 7.5 7.5 0 1 0 0-15M10 6v4.300l2.8 1.7',
  plus: 'M10 4v12M4 10h12',
  down: 'M5 8l5 5 5-5',
  right: 'M8 5l5 5-5 5',
  left: 'M12 5l-5 5 5 5',
  minus: 'M4 10h12',
  download: 'M10 3v10M6 9.500l4 4 4-4M3.5 16.500h13',
  upload: 'M10 13.500v-10M6 7l4-4 4 4M3.5 16.500h13',
  link: 'M8.5 11.500a3 3 0 0 0 4.2 0l3-3a3 3 0 0 0-4.2-4.200l-.9.900M11.5 8.500a3 3 0 0 0-4.2 0l-3 3a3 3 0 0 0 4.2 4.200l.9-.9',
} as const

export type IconName = keyof typeof PATHS

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg class="icon" viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
)
