;; Block sums: d = c + a b through a chain of instructions, `blockK` products in one, 8 columns side by side. Products are exact in f64.
;;
;; Memory, row-major, a and b by panels (`operand.ts`):
;;
;;   a   f64 [m][k]            ae  i16 [m][k]            values and alignment exponents
;;   b   f64 [tiles][k][8]     be  i16 [tiles][k][8]
;;   d   f64 [tiles][m][8]     c when it begins; NaN where the plain definition has to be asked
;;
;; An alignment exponent is -2000 of zero and 8000 of a special. A truncated term is an integer below 2^(F + 2), and a sum of 33 of them
;; is far below 2^53.
(module
  (memory (import "" "memory") 1)
  (func (export "blockSum")
    (param $m i32) (param $tiles i32) (param $k i32) (param $blockK i32)
    (param $a i32) (param $ae i32) (param $b i32) (param $be i32) (param $d i32)
    (param $alignment i32) (param $floor i32)
    (param $keep i32) (param $nearest i32) (param $least i32) (param $range i32)
    (local $t i32) (local $i i32) (local $block i32) (local $end i32)
    (local $pa i32) (local $pae i32) (local $pb i32) (local $pbe i32) (local $pd i32)
    (local $max v128) (local $av v128)
    (local $e0 v128) (local $e1 v128)
    (local $z0 v128) (local $z1 v128) (local $z2 v128) (local $z3 v128)
    (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local $e v128) (local $f v128) (local $f0 v128) (local $f1 v128) (local $bad0 v128) (local $bad1 v128)
    (local $mask v128) (local $half v128) (local $one v128) (local $zero v128)

    (local.set $mask (i64x2.splat (i64.shl (i64.const -1) (i64.extend_i32_u (i32.sub (i32.const 52) (local.get $keep))))))
    (local.set $half (i64x2.splat (i64.sub (i64.shl (i64.const 1) (i64.extend_i32_u (i32.sub (i32.const 51) (local.get $keep)))) (i64.const 1))))
    (local.set $one (i64x2.splat (i64.const 1)))

    (loop $tile
      (local.set $i (i32.const 0))
      (loop $row
        (local.set $pd (i32.add (local.get $d)
          (i32.shl (i32.add (i32.mul (local.get $t) (local.get $m)) (local.get $i)) (i32.const 6))))

        ;; c and its exponents
        (local.set $s0 (v128.load (local.get $pd)))
        (local.set $s1 (v128.load offset=16 (local.get $pd)))
        (local.set $s2 (v128.load offset=32 (local.get $pd)))
        (local.set $s3 (v128.load offset=48 (local.get $pd)))
        (local.set $f0 (i32x4.sub
            (v128.and (i32x4.shr_u (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $s0) (local.get $s1)) (i32.const 20))
                      (i32x4.splat (i32.const 0x7ff)))
            (i32x4.splat (i32.const 1023))))
        (local.set $f0 (v128.bitselect (i32x4.splat (i32.const 1024)) (local.get $f0) (v128.and
            (i32x4.gt_u (i32x4.sub (local.get $f0) (i32x4.splat (local.get $least))) (i32x4.splat (local.get $range)))
            (i32x4.ne (local.get $f0) (i32x4.splat (i32.const -1023))))))
        (local.set $f1 (i32x4.sub
            (v128.and (i32x4.shr_u (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $s2) (local.get $s3)) (i32.const 20))
                      (i32x4.splat (i32.const 0x7ff)))
            (i32x4.splat (i32.const 1023))))
        (local.set $f1 (v128.bitselect (i32x4.splat (i32.const 1024)) (local.get $f1) (v128.and
            (i32x4.gt_u (i32x4.sub (local.get $f1) (i32x4.splat (local.get $least))) (i32x4.splat (local.get $range)))
            (i32x4.ne (local.get $f1) (i32x4.splat (i32.const -1023))))))

        (local.set $pa (i32.add (local.get $a) (i32.shl (i32.mul (local.get $i) (local.get $k)) (i32.const 3))))
        (local.set $pb (i32.add (local.get $b) (i32.shl (i32.mul (local.get $t) (local.get $k)) (i32.const 6))))
        (local.set $pae (i32.add (local.get $ae) (i32.shl (i32.mul (local.get $i) (local.get $k)) (i32.const 1))))
        (local.set $pbe (i32.add (local.get $be) (i32.shl (i32.mul (local.get $t) (local.get $k)) (i32.const 4))))
        (local.set $block (i32.const 0))
        (loop $blocks
          ;; the largest exponent of a product, of c and the floor
          (local.set $end (i32.add (local.get $pae) (i32.shl (local.get $blockK) (i32.const 1))))
          (local.set $max (i16x8.splat (i32.const -32768)))
          (loop $exponents
            (local.set $max (i16x8.max_s (local.get $max)
              (i16x8.add (v128.load16_splat (local.get $pae)) (v128.load (local.get $pbe)))))
            (local.set $max (i16x8.max_s (local.get $max)
              (i16x8.add (v128.load16_splat offset=2 (local.get $pae)) (v128.load offset=16 (local.get $pbe)))))
            (local.set $max (i16x8.max_s (local.get $max)
              (i16x8.add (v128.load16_splat offset=4 (local.get $pae)) (v128.load offset=32 (local.get $pbe)))))
            (local.set $max (i16x8.max_s (local.get $max)
              (i16x8.add (v128.load16_splat offset=6 (local.get $pae)) (v128.load offset=48 (local.get $pbe)))))
            (local.set $pbe (i32.add (local.get $pbe) (i32.const 64)))
            (br_if $exponents (i32.lt_u (local.tee $pae (i32.add (local.get $pae) (i32.const 8))) (local.get $end))))
          (local.set $f (i32x4.splat (local.get $floor)))
          (local.set $e0 (i32x4.max_s (i32x4.max_s (i32x4.extend_low_i16x8_s (local.get $max)) (local.get $f)) (local.get $f0)))
          (local.set $e1 (i32x4.max_s (i32x4.max_s (i32x4.extend_high_i16x8_s (local.get $max)) (local.get $f)) (local.get $f1)))
          ;; 2^(F - E)
          (local.set $f (i32x4.splat (i32.add (i32.const 1023) (local.get $alignment))))
          (local.set $e (i32x4.shl (i32x4.sub (local.get $f) (local.get $e0)) (i32.const 20)))
          (local.set $z0 (i8x16.shuffle 0 1 2 3 16 17 18 19 0 1 2 3 20 21 22 23 (local.get $zero) (local.get $e)))
          (local.set $z1 (i8x16.shuffle 0 1 2 3 24 25 26 27 0 1 2 3 28 29 30 31 (local.get $zero) (local.get $e)))
          (local.set $e (i32x4.shl (i32x4.sub (local.get $f) (local.get $e1)) (i32.const 20)))
          (local.set $z2 (i8x16.shuffle 0 1 2 3 16 17 18 19 0 1 2 3 20 21 22 23 (local.get $zero) (local.get $e)))
          (local.set $z3 (i8x16.shuffle 0 1 2 3 24 25 26 27 0 1 2 3 28 29 30 31 (local.get $zero) (local.get $e)))

          ;; +0 + -0 is +0, so no sum is -0
          (local.set $s0 (f64x2.add (local.get $zero) (f64x2.trunc (f64x2.mul (local.get $s0) (local.get $z0)))))
          (local.set $s1 (f64x2.add (local.get $zero) (f64x2.trunc (f64x2.mul (local.get $s1) (local.get $z1)))))
          (local.set $s2 (f64x2.add (local.get $zero) (f64x2.trunc (f64x2.mul (local.get $s2) (local.get $z2)))))
          (local.set $s3 (f64x2.add (local.get $zero) (f64x2.trunc (f64x2.mul (local.get $s3) (local.get $z3)))))
          (local.set $end (i32.add (local.get $pa) (i32.shl (local.get $blockK) (i32.const 3))))
          (loop $products
            (local.set $av (v128.load64_splat (local.get $pa)))
            (local.set $s0 (f64x2.add (local.get $s0) (f64x2.trunc
              (f64x2.mul (f64x2.mul (local.get $av) (v128.load (local.get $pb))) (local.get $z0)))))
            (local.set $s1 (f64x2.add (local.get $s1) (f64x2.trunc
              (f64x2.mul (f64x2.mul (local.get $av) (v128.load offset=16 (local.get $pb))) (local.get $z1)))))
            (local.set $s2 (f64x2.add (local.get $s2) (f64x2.trunc
              (f64x2.mul (f64x2.mul (local.get $av) (v128.load offset=32 (local.get $pb))) (local.get $z2)))))
            (local.set $s3 (f64x2.add (local.get $s3) (f64x2.trunc
              (f64x2.mul (f64x2.mul (local.get $av) (v128.load offset=48 (local.get $pb))) (local.get $z3)))))
            (local.set $pb (i32.add (local.get $pb) (i32.const 64)))
            (br_if $products (i32.lt_u (local.tee $pa (i32.add (local.get $pa) (i32.const 8))) (local.get $end))))

          ;; one rounding
          (local.set $f (i32x4.splat (i32.sub (i32.const 1023) (local.get $alignment))))
          (local.set $e (i32x4.shl (i32x4.add (local.get $f) (local.get $e0)) (i32.const 20)))
          (local.set $s0 (f64x2.mul (local.get $s0) (i8x16.shuffle 0 1 2 3 16 17 18 19 0 1 2 3 20 21 22 23 (local.get $zero) (local.get $e))))
          (local.set $s1 (f64x2.mul (local.get $s1) (i8x16.shuffle 0 1 2 3 24 25 26 27 0 1 2 3 28 29 30 31 (local.get $zero) (local.get $e))))
          (local.set $e (i32x4.shl (i32x4.add (local.get $f) (local.get $e1)) (i32.const 20)))
          (local.set $s2 (f64x2.mul (local.get $s2) (i8x16.shuffle 0 1 2 3 16 17 18 19 0 1 2 3 20 21 22 23 (local.get $zero) (local.get $e))))
          (local.set $s3 (f64x2.mul (local.get $s3) (i8x16.shuffle 0 1 2 3 24 25 26 27 0 1 2 3 28 29 30 31 (local.get $zero) (local.get $e))))
          (if (local.get $nearest)
            (then
              (local.set $s0 (i64x2.add (local.get $s0) (i64x2.add (local.get $half)
                (v128.and (i64x2.shr_u (local.get $s0) (i32.sub (i32.const 52) (local.get $keep))) (local.get $one)))))
              (local.set $s1 (i64x2.add (local.get $s1) (i64x2.add (local.get $half)
                (v128.and (i64x2.shr_u (local.get $s1) (i32.sub (i32.const 52) (local.get $keep))) (local.get $one)))))
              (local.set $s2 (i64x2.add (local.get $s2) (i64x2.add (local.get $half)
                (v128.and (i64x2.shr_u (local.get $s2) (i32.sub (i32.const 52) (local.get $keep))) (local.get $one)))))
              (local.set $s3 (i64x2.add (local.get $s3) (i64x2.add (local.get $half)
                (v128.and (i64x2.shr_u (local.get $s3) (i32.sub (i32.const 52) (local.get $keep))) (local.get $one)))))))
          (local.set $s0 (v128.and (local.get $s0) (local.get $mask)))
          (local.set $s1 (v128.and (local.get $s1) (local.get $mask)))
          (local.set $s2 (v128.and (local.get $s2) (local.get $mask)))
          (local.set $s3 (v128.and (local.get $s3) (local.get $mask)))
          (local.set $f0 (i32x4.sub
            (v128.and (i32x4.shr_u (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $s0) (local.get $s1)) (i32.const 20))
                      (i32x4.splat (i32.const 0x7ff)))
            (i32x4.splat (i32.const 1023))))
          (local.set $bad0 (v128.or (i32x4.gt_s (local.get $e0) (i32x4.splat (i32.const 400))) (v128.and
            (i32x4.gt_u (i32x4.sub (local.get $f0) (i32x4.splat (local.get $least))) (i32x4.splat (local.get $range)))
            (i32x4.ne (local.get $f0) (i32x4.splat (i32.const -1023))))))
          (local.set $f1 (i32x4.sub
            (v128.and (i32x4.shr_u (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $s2) (local.get $s3)) (i32.const 20))
                      (i32x4.splat (i32.const 0x7ff)))
            (i32x4.splat (i32.const 1023))))
          (local.set $bad1 (v128.or (i32x4.gt_s (local.get $e1) (i32x4.splat (i32.const 400))) (v128.and
            (i32x4.gt_u (i32x4.sub (local.get $f1) (i32x4.splat (local.get $least))) (i32x4.splat (local.get $range)))
            (i32x4.ne (local.get $f1) (i32x4.splat (i32.const -1023))))))
          (if (v128.any_true (v128.or (local.get $bad0) (local.get $bad1)))
            (then
              (local.set $s0 (v128.or (local.get $s0) (i8x16.shuffle 0 1 2 3 0 1 2 3 4 5 6 7 4 5 6 7 (local.get $bad0) (local.get $bad0))))
              (local.set $s1 (v128.or (local.get $s1) (i8x16.shuffle 8 9 10 11 8 9 10 11 12 13 14 15 12 13 14 15 (local.get $bad0) (local.get $bad0))))
              (local.set $f0 (v128.bitselect (i32x4.splat (i32.const 1024)) (local.get $f0) (local.get $bad0)))
              (local.set $s2 (v128.or (local.get $s2) (i8x16.shuffle 0 1 2 3 0 1 2 3 4 5 6 7 4 5 6 7 (local.get $bad1) (local.get $bad1))))
              (local.set $s3 (v128.or (local.get $s3) (i8x16.shuffle 8 9 10 11 8 9 10 11 12 13 14 15 12 13 14 15 (local.get $bad1) (local.get $bad1))))
              (local.set $f1 (v128.bitselect (i32x4.splat (i32.const 1024)) (local.get $f1) (local.get $bad1)))))

          (br_if $blocks (i32.lt_u (local.tee $block (i32.add (local.get $block) (local.get $blockK))) (local.get $k))))
        (v128.store (local.get $pd) (local.get $s0))
        (v128.store offset=16 (local.get $pd) (local.get $s1))
        (v128.store offset=32 (local.get $pd) (local.get $s2))
        (v128.store offset=48 (local.get $pd) (local.get $s3))
        (br_if $row (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $m))))
      (br_if $tile (i32.lt_u (local.tee $t (i32.add (local.get $t) (i32.const 1))) (local.get $tiles))))))
