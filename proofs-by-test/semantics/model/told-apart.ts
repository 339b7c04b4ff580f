/** Rows of `told-apart.proof.ts`: how the log is asked, and its lines. */
export const toldApart = `
 | T1: alloc t
 | T1: peek b 1 false
wgmma | g is an output
pipe stopped | T1: inval b
 | T0: write x | T0: write x
 | T0: wait.ld | V0: wait c 0
 | g is an output | T0: read r
 | T0: sync | T1: come | T1: come
 | T0: issue #1 copy ~ ctaGroup=2
wgmma | T0: alloc t | T2: alloc t
 | U0: wait b' 1 ~ outcome=blocked
pipe | T0: wait b 0 cluster peeked
 | T2: load g relaxed wide decides
wgmma | g is an output | U1: write g
 | g is an output | T0: store g release
strict proxies | V0: alloc t ~ ctaGroup=2
proxies | T0: come | T0, T1, T2, U0: meet
stopped | V0: arrive b +16 | T0: arrive b
wgmma | U0: issue #1 clc | U1: issue #2 clc
 | U1: wait.semaphore s 1 | U1: fence async
 | T2: write x' | T1: dealloc t ~ ctaGroup=2
wgmma | U0: wait.word x' cta | V0: signal s 2
 | fenced by hand | T0: wait b 0 | T0: wait.st
 | T0: arrive b +16 relaxed | V0: arrive b +16
 | U1: wait c 0 relaxed tensor ~ outcome=blocked
 | c is of Pallas | U0: alloc t' | T1: dealloc t
wgmma | nothing is written before | V0: atomic x or
 | T2: wait b 0 relaxed cluster | T2: fence acquire
 | T0: wait b 0 relaxed | T0: fence sc | T0, T1: bar
strict | T1: wait.semaphore s 1 | T2: signal s 2 cta
 | U0: wait d 0 tensor | U0: arrive d relaxed cluster
strict proxies | U0: wait.semaphore s 2 | T1: join T2
 | b is of Pallas | U0: wait b 0 | U0: come | U0: come
 | b is of Pallas | T0: issue #1 commit | #1: arrive b
 | T0, T1, T2, U0: meet relaxed | T0, T1, T2, U0: meet
 | T0: peek d 0 true tensor | T0: wait d 0 cluster spared
stopped | T0: atomic g exchange cluster wide kept | T0: go
proxies | T1: wait b 0 | T0: issue #1 commit | #1: arrive b
strict proxies | T0: signal s 2 cta | U0: wait.group copy 0
stopped | b is of Pallas | U0: issue #2 commit | #2: arrive b
 | V0: issue #1 mma | #1: write t | T0: dealloc t ~ ctaGroup=2
pipe stopped | T0: peek c 0 false | T0: wait c 0 cluster peeked
 | T0: dealloc t | T1: issue #1 shift | #1: read t | #1: write t
pipe | V0: wait.word h relaxed cluster | U0: store h relaxed cta
stopped | T0: peek c 0 false relaxed tensor | T0: wait c 0 peeked
pipe stopped | V0: atomic x' or acq_rel kept | T0: load g acquire
wgmma | T2: wait b 0 cluster tensor ~ outcome=blocked | T0: arrive b
strict proxies | b is of Pallas | T0: inval b | T0: wait b 0 cluster
 | T1: come ~ id=1 count=128 | T0, T1: bar | T0: write g | T1: write g
pipe | T0: arrive b ~ kind=increment | T0: issue #1 copy | #1: arrive b
 | next cluster | U0: peek b 0 true relaxed | T1: wait.ld ~ blocked=true
pipe | nothing is written before | T1: atomic x exchange acq_rel cluster
 | T0: issue #1 commit | #1: arrive b | U0: issue #2 commit | #2: arrive b
strict proxies | U0: dealloc t ~ spans=8,16 | U0: alloc t' | T0: dealloc t
 | T0: issue #2 copy | #2: write x generic | T2: issue #5 mma | #5: read x
 | U0: arrive b | U0: go | T0: wait c 0 cluster tensor spared | U0: init b'
 | next cluster | T1: expect c 16 tensor | T1: load g volatile wide decides
 | T0: issue #1 cp | #1: read x | T0: atomic y exchange acq_rel cluster kept
strict | T0: fence sc | T0, T1: bar | T1: store s | T1: load s | T1: fence sc
strict proxies | V0: arrive b ~ kind=increment | V0: issue #1 copy | #1: arrive b
 | U0: issue #2 shift | #2: write t ~ spans=4,12 | T0: issue #3 shift | #3: read t
stopped | T2: wait c 0 | T1: wait.semaphore s 1 | U0: join T2 | T0: arrive c cluster
 | nothing is written before | V0: read x | T0: alloc t | T0: store x relaxed cluster
proxies | U0: issue #1 copy | #1: write x' generic | U0: commit copy | U0: commit copy
strict proxies | T1: issue #1 copy | #1: arrive d | T1: issue #3 commit | #3: arrive d
 | U1: sync | T0: read x' | U1: come ~ id=1 count=256 | U1: go ~ id=1 count=256 | U1: go
 | T0: join T1 | U0: arrive d relaxed | T0, T1, U0: meet | T1: signal h 2 | T0: arrive c
 | T0: arrive b cluster tensor ~ kind=increment | T0: wait b 0 relaxed ~ outcome=blocked
pipe stopped | nothing is written before | U0: issue #1 mma | #1: read t' | #1: write t'
 | T2: wait b 0 | T1: expect b 16 relaxed | T1: wait b 0 cluster spared ~ outcome=blocked
strict proxies stopped | b is of Pallas | T2: issue #1 store | #1: read x ~ spans=4100,4108
pipe stopped | U0: dealloc t' | V0: dealloc t | U0: alloc t' | V0: issue #2 cp | #2: write t
strict proxies | b is of Pallas | T0: wait.group bulk 0 | V0: issue #1 load | #1: bytes b 16
 | ~ fences=compiler | T0: issue #1 load | #1: bytes b 32 | T2: issue #2 copy | #2: arrive c
proxies stopped | T1: write s | T0, T1, T2, U0: meet relaxed | U0: wait.semaphore s 0 cluster
 | U1: wait.word x' relaxed cta | U1: issue #2 cp | #2: read x' | U1: issue #3 clc | #3: write x'
 | nothing is written before | T0: fence async | U0: issue #1 store | #1: read y' | U0: atomic x'
pipe | T0: init b | U0: inval b | T0: issue #3 copy | #3: arrive c ~ to=group family=bulk side=full
 | U0: wait.ld | U0: dealloc t | U0: issue #2 commit | #2: arrive b | U0: wait b 0 relaxed | U0: bar
wgmma | bare | V0: dealloc t | T0: issue #1 cp | #1: write t | T0: wait c 0 cluster ~ outcome=blocked
strict proxies | ~ fences=library | T2: alloc t ~ _tag=relinquish | U0: issue #1 commit | #1: arrive b
stopped | U1: atomic g or release wide kept | U0: atomic g or acq_rel wide kept | U1: wait.word r acquire
strict proxies | T0: come | T0, U0, U1: meet relaxed | U0: come ~ id=1 count=256 | U0: go ~ id=1 count=256
proxies | T1: store h release cluster | T1: load s decides | T0: store s | T1: atomic s acq_rel cta decides
strict proxies | T0: read g | T0: write g | T1: store s cluster | T1: fence sc cluster | T0: load s acquire
strict | fenced by hand | T1: issue #2 load | #2: write x | #2: bytes c 16 ~ to=group family=bulk side=full
 | nothing is written before | T0, V0: meet | T0: read y | T0: atomic y or | T0: issue #2 store | #2: read y
 | nothing is written before | b is of Pallas | T1: read r | U0: issue #1 commit | #1: arrive b | T1: read r
proxies | V0: store h wide | V0: expect c 16 | V0: wait.word h relaxed gpu | T0: issue #1 copy | #1: arrive c
 | T1: wait b 0 cluster | T1: fence acquire | T0, T1, V0: meet relaxed | T0, T1: bar | T0: atomic s or acq_rel
strict proxies | T0: load x volatile wide kept | T1: atomic x' acquire cluster kept | T0: store x volatile wide
stopped | T1: issue #0 commit | #0: arrive c | T2: signal s 1 cta | U0: wait.semaphore s 1 | T2: arrive c cluster
wgmma stopped | T0: arrive d | V0: peek d 0 true tensor | V0: wait d 0 relaxed spared | V0: peek b 0 true relaxed
 | U0: peek b 0 true | U0: wait b 0 spared | T0: arrive b +16 relaxed | U0: expect b 16 cluster | T1: issue #2 clc
 | fenced by hand | T1: fence map.acquire | T0: fence init | T0, T1, T2: meet | T1: issue #1 load | #1: bytes d 16
strict | U1: wait.group bulk 0 ~ pending=2 | U1: issue #2 store | #2: read x' | U1: atomic x' or | U0: atomic x' or
strict proxies | fenced by hand | V0: init c | V0: peek b 0 true | T0: arrive b | T0: issue #2 load | #2: bytes c 8
 | U1: issue #1 copy | #1: write y' generic | U1: store y' relaxed | U0: fence acq_rel | U0: atomic t' | U1: write x
stopped | T0: fork T2 | U0: issue #1 ld | #1: read t | T1: issue #2 st | #2: write t | T2: issue #4 mma | #4: write t
 | T0: read t | T0: load s decides | next cluster | T1: write t | T0: peek d 0 true cluster | T0: wait d 0 tensor spared
pipe | V0: read x | T0: arrive b relaxed | V0: wait b 0 cluster tensor | V0: issue #2 load | #2: write x | #2: bytes b 8
 | T0: expect d 16 relaxed tensor | U0: issue #1 load | #1: write x' | #1: bytes d 16 | U1: issue #2 load | #2: write x'
 | T0: write y | T1: issue #1 commit | #1: arrive b | T0: come ~ id=1 count=128 | T1: write x | T1: alloc t | T0, T1: bar
 | T0: issue #1 mma | #1: read t | #1: write t | #1: arrive b | T0: dealloc t | T1: dealloc t | T0: issue #2 ld | #2: read t
 | U0: arrive b' relaxed cluster | T2: issue #1 load | #1: bytes b 16 | T0: arrive b +16 cluster tensor | T0: wait.word x acquire
 | T1: fence async | T0: expect b 16 | T0: arrive b ~ kind=increment | T0: issue #1 copy | #1: arrive b | U0: inval b | T1: init d
 | c is of Pallas | T1: alloc t | T2: issue #1 cp | #1: write t | T1: issue #2 shift | #2: write t | T0: issue #3 st | #3: write t
 | fenced by hand | b is of Pallas | g is an output | T0: write r | U0: wait.word r acquire cta | T0, U0, U1: meet ~ id=3 count=256
 | ~ fences=author | T1: arrive c +16 relaxed | T1: atomic x' exchange relaxed cta | T1: wait.semaphore s 0 | T2: signal s 2 cluster
pipe | g is an output | T0: write g | U0: wait d 0 relaxed ~ outcome=blocked | T0: peek d 0 true relaxed cluster | T0: wait d 0 spared
wgmma | T2: atomic s or acq_rel | T1: store s | T1: fence sc | T2: fence sc | T0, T1: bar | T2: load s kept | T0: atomic s release decides
wgmma | T0: wait.semaphore s 1 cluster | T1: wait c 1 | U0: write s | T1: issue #9 commit | #9: arrive c | T0: issue #10 commit | #10: arrive c
 | U0: arrive b +16 | U0: issue #0 load | #0: write x | #0: bytes b 16 | T1: wait b 0 | T1: issue #5 commit | #5: arrive c | T2: arrive c cluster
strict proxies | nothing is written before | T2: wait.word g relaxed | T1: load x relaxed cluster | T0: write g | T2: issue #2 wgmma | #2: read x
 | nothing is written before | U0: issue #1 shift | #1: read t' | #1: write t | V0: issue #2 mma | #2: write t | U0: issue #3 ld | #3: read t' | T0: alloc t
stopped | fenced by hand | T0: arrive d ~ kind=increment | T0: issue #1 copy | #1: arrive d | T0: arrive b | T0: issue #2 load | #2: bytes b 32 | T2: arrive b
 | U0: issue #1 commit | #1: arrive d ~ to=group family=bulk side=read | T0: issue #2 st | #2: write t ~ combine=add dtype=f32 | U0: issue #3 cp | #3: write t
wgmma | T0: store s gpu | T1: load s kept | T1: wait.word s acquire | T1: read g | T0: store s release | T1: write g | T1: atomic s exchange acq_rel wide decides
 | T0, T1, U0: meet relaxed | U0: atomic s relaxed gpu | T0: fence acq_rel | U0: store s release | U0: load s acquire gpu decides | T0: load s acquire cluster kept
stopped | T1: wait b 0 cluster | T1: store s cluster | T1: fence sc | T1: load s kept | T1: arrive b | V0: store s | V0: fence sc | T1: fence sc cta | T1: load s kept
wgmma | T0: store s | T0: fence sc | V0: fence sc | V0: load s kept | V0: write g | V0: store s volatile | T0, T1, T2, U0, V0: meet | T2: fence sc | T2: store s relaxed
 | U0: signal s 1 cta | T2: read x | U0: wait.st | U0: atomic s | T0, T1, T2, U0: meet | T1: atomic s | T2: issue #10 load | #10: write x | #10: bytes b 16 | T1: wait b 0
 | b is of Pallas | V0: issue #1 copy | #1: write x generic | #1: arrive b | V0: issue #2 load ~ ctaGroup=2 | T0: arrive b ~ count=1048575 | T0: issue #3 clc | #3: bytes b 16
 | T1: store s | T1: fence sc | T0: fence sc cluster | T1: load s kept | T0, T1: bar | T0: read g | U0: write g | T1: write g | T1: store s release cta | T0: store s release cta
 | b is of Pallas | T0: wait b 0 relaxed cluster | V0: wait b 1 ~ outcome=blocked | T0: peek b 0 false | V0: issue #1 load | #1: write x | #1: bytes b 8 | V0: read x ~ spans=0,4
strict proxies | T0: store s release | T1: fence release | T0: wait.word s acquire | T1: write g | T1: atomic s release | T0: store s | T1: store s | T0: load s acquire | T0: read g
 | U0: write g | U0: atomic s acquire | V0: write g | V0: store s release | T1: write h | V0: store s | T0: load s acquire | T0: read g | U0: load s relaxed kept | U0: arrive b cluster
stopped | nothing is written before | V0: peek b 0 true tensor | V0: wait b 0 tensor spared | V0: issue #1 wgmma | #1: read x | #1: write r | T0: expect d 16 | V0: arrive b +16 cluster
 | T2: arrive c +16 | T2: issue #0 load | #0: write x | #0: bytes c 16 | T0: issue #1 load | #1: read g | #1: write x | #1: bytes c 16 | T1: wait b 0 cluster | T2: issue #3 ld | #3: read t
 | T1: issue #1 cp | #1: write t | T0: issue #2 load | #2: write x | T0: dealloc t ~ ctaGroup=2 | T0: issue #3 load | #3: write x | T0: issue #4 cp | #4: write t | T1: wait.ld ~ blocked=true
 | U0: load x' relaxed wide | U0: wait.ld | T0, U0, V0: meet | U0: atomic x' or | T0: wait.semaphore h 2 cta | T0: issue #1 ld | #1: read t | V0: come ~ id=1 count=256 | V0: go ~ id=1 count=256
strict proxies | T2: arrive b relaxed cluster | T0: wait b 0 relaxed cluster | T0: fence sc gpu | T0: write g | T0: store s volatile | T1: load s acquire cluster decides | T1: write g | T0, T1: bar
 | T1: issue #1 mma | #1: read y ~ part=1 spans=4100,4108 | #1: read t | #1: write t | U0: read r | T2: wait b 0 relaxed | T0: issue #2 store | #2: read g tensormap | T2: write g | T0: arrive c cluster | T2: read g
 | T1: issue #0 store | #0: read g tensormap | T0: arrive c +16 | T0: issue #1 load | #1: write x | #1: bytes c 16 | U0: issue #4 store | #4: write g | T0: wait c 0 relaxed cluster | U0: issue #8 store | #8: write g
 | nothing is written before | b is of Pallas | U1: wait.semaphore s 2 | T0: read x | T0: atomic g or acq_rel kept | U0: write x | U1: wait.word y' acquire gpu | U0: store y' release gpu | U1: wait.word g acquire gpu
 | T0: fence release cluster | T0: atomic s or relaxed gpu | T0: fence acquire cluster | T0: write g | T0: fence sc cta | T0, T1: bar | T1: store s gpu | T0: load s decides | T0: fence sc | T0: read g | V0: load h relaxed cta
 | T2: atomic s | T2: fence async | T0: issue #2 store | #2: read g tensormap | T0: issue #3 load | #3: read g | #3: write x | #3: bytes b 16 | T0: wait.group copy 0 | T2: arrive b | T0: wait b 0 | U0: wait.semaphore s 0 cluster
 | T0: write g | T0: store s release cta | T0: store s cluster | U0: load s acquire cluster | U0: read g | T0: load s acquire cta wide | T1: load s acquire gpu decides | T1: read g | U0: load s acquire kept | U0: arrive b relaxed cluster
 | T0: issue #0 st | #0: write t | U0: issue #1 store | #1: read g tensormap | T1: issue #2 store | #2: read g tensormap | T1: commit bulk | U0: issue #3 store | #3: read x' | #3: write g | T2: signal s 1 cluster | T1: issue #6 commit | #6: arrive c
 | T2: issue #1 store | #1: write g | T2: write r | T2: issue #2 load | #2: read g | #2: write x | #2: bytes b 16 | T2: write r | T1: issue #3 store | #3: read y | T1: issue #4 copy | #4: write y generic | T0: read r ~ spans=4096,4104 | T2: issue #5 wgmma
 | fenced by hand | nothing is written before | T0: issue #1 commit | #1: arrive c | T0: come ~ id=1 count=256 | T1: wait b 0 tensor | U0: issue #2 copy | #2: arrive b' | U0: write x' | U0: issue #3 wgmma | #3: read x' | U0: commit wgmma | T0: peek c 0 true cluster | U0: issue #4 ld | #4: read t | T0, T1, U0: meet
 | nothing is written before | T1: issue #3 mma | #3: read t | #3: write t | T2: issue #4 st | #4: write t
 | U0: load y' wide decides | V0: store x' release wide
wgmma stopped | T0: atomic s or relaxed cluster | V0: store s | T0: load s decides
wgmma | U0: dealloc t' | U0: come ~ id=1 count=256 | U0: go ~ id=1 count=256 | V0: issue #2 ld | #2: read t
 | c is of Pallas | U0: arrive c ~ kind=increment
strict | T0: issue #1 cp | #1: write t | T0: issue #2 shift | #2: read t
 | fenced by hand | nothing is written before | b is of Pallas | T2: signal s 1 | T2: wait.word x | T1: write x | T0: store g relaxed gpu wide | T0: issue #1 st | #1: read r | T1: peek b 0 false cluster
 | U0: alloc t' | U0: dealloc t' | T0: alloc t | T1: issue #1 mma | #1: write t
 | T0: alloc t | T0: issue #1 mma | #1: write t | T0: issue #2 commit | #2: arrive b | T1: wait b 0 relaxed | T1: dealloc t
 | bare | T1: write x | T0: join T1 | T0: write x
strict | T0: write x | T0: arrive b ~ kind=increment | T1: arrive b | T1: arrive b | T1: wait b 0 | T1: read x
 | T0: come ~ id=1 count=96 threads=64 | T1: come ~ id=1 count=96 threads=64
 | T0: come ~ id=1 count=256 threads=64 | T1: come ~ id=1 count=128 threads=64
 | T0: issue #1 mma | #1: write t | T0: issue #2 shift | #2: read t | #2: write t
 | T0: write g ~ spans=0,4 | next cluster | T0: write g ~ spans=8,12
 | T0: store g cta | next cluster | T0: store g cta
 | T0: issue #1 copy | #1: read x generic | T0: commit copy | T0: wait.group copy 0 | T0: issue #2 load | #2: write x | #2: bytes b 16
 | T0: peek b 0 false | T1: write x | T1: arrive b | T1: wait b 0 | T1: arrive b | T0: wait b 0 peeked | T0: read x
 | T0: alloc t ~ ctaGroup=2 | U0: alloc t' ~ ctaGroup=2 | T0: dealloc t ~ ctaGroup=2
 | T0: alloc t ~ _tag=relinquish | T1: dealloc t
 | nothing is written before | g is an output | T0: read g
 | g is an output | T0: read g | next cluster | T0: read g
 | g is an output | T0: read g | T1: write g
 | T0: store g | next cluster | T0: load g decides
 | T0: load g decides | next cluster | T0: store g
 | T0: load g decides | T0: store g | next cluster | T0: store g
 | T0: atomic g | next cluster | T0: atomic g decides
 | T0: atomic g decides | next cluster | T0: atomic g
 | T0: store g cta | next cluster | T0: load g decides
 | T0: load g cta decides | next cluster | T0: store g
 | T0: load g decides | next cluster | next cluster | T0: store g
 | T1: issue #1 mma | #1: write t | T1: issue #2 commit | #2: arrive b | T1: wait b 0 | T0: fork T1
 | T0: arrive b ~ kind=increment | T0: issue #1 copy ~ at=4 | #1: arrive b | T0: arrive b
 | T0: arrive b ~ kind=increment | T0: issue #1 copy ~ at=4 | #1: arrive b
 | T1: read y | T1: arrive b ~ kind=increment | T0: issue #1 copy | #1: arrive b | T0: arrive b
 | T1: read y | T1: arrive b ~ kind=increment | T0: issue #1 copy | #1: arrive b
 | T0: arrive b ~ kind=increment | T0: issue #1 copy | #1: arrive b | T0: issue #2 copy ~ at=4 | #2: arrive b
stopped | b is of Pallas | T0: arrive b
 | b is of Pallas | T0: arrive b | T0: inval b | T0: init b
 | b is of Pallas | T0: arrive b | T0: inval b | T0: write x ~ spans=4096,4104
 | b is of Pallas | T0: arrive b | T0: inval b | T0: write x
 | T0: write g | T0: signal s 1 cluster | U0: wait.semaphore s 1 | U0: read g
 | V0: read y | T0: write g | T0: signal s 1 cluster | V0: wait.semaphore s 1 | V0: read g
 | T0: store g | T1: load g decides | T1: write g
 | T0: store g | T1: atomic g or
 | T0: atomic g or | T1: store g
 | T0: atomic g | T1: store g
 | T0: atomic g ~ dtype=f32 | T1: store g
 | T0: atomic g ~ rounds=true | T1: store g
 | T1: load g decides | T0: write h | T0: load g decides | T0: store g
 | T1: load g decides | T1: arrive b | T0: wait b 0 | T0: read g | T2: store g
stopped | b is of Pallas | T0: arrive b | T0: inval b
stopped | b is of Pallas | T0: arrive b | T0: inval b | T0: init b
`
