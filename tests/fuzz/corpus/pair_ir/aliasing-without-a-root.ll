; ModuleID
source_filename = "b.cc"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) uwtable
define dso_local void @_Z4pairRK1IRK1JR1F(ptr nocapture noundef nonnull readonly align 8 dereferenceable(16) %0, ptr nocapture noundef nonnull readonly align 8 dereferenceable(16) %1, ptr nocapture noundef nonnull align 8 dereferenceable(16) %2) local_unnamed_addr #0 !dbg !10 {
    #dbg_value(ptr %0, !41, !DIExpression(), !44)
    #dbg_value(ptr %1, !42, !DIExpression(), !44)
    #dbg_value(ptr %2, !43, !DIExpression(), !44)
  %4 = getelementptr inbounds i8, ptr %0, i64 8, !dbg !45
  %5 = load i64, ptr %4, align 8, !dbg !45, !tbaa !46
  %6 = and i64 %5, 3, !dbg !53
  switch i64 %6, label %20 [
    i64 0, label %7
    i64 1, label %13
  ], !dbg !54

7:                                                ; preds = %3
  %8 = load float, ptr %0, align 8, !dbg !55, !tbaa !57
  %9 = load float, ptr %1, align 8, !dbg !58, !tbaa !59
  %10 = fmul float %8, %9, !dbg !61
  %11 = load float, ptr %2, align 8, !dbg !62, !tbaa !63
  %12 = fadd float %11, %10, !dbg !62
  store float %12, ptr %2, align 8, !dbg !62, !tbaa !63
  br label %26, !dbg !64

13:                                               ; preds = %3
  %14 = getelementptr inbounds i8, ptr %1, i64 4, !dbg !65
  %15 = load float, ptr %14, align 4, !dbg !65, !tbaa !66
  %16 = tail call float @llvm.exp.f32(float %15), !dbe !67
  %17 = getelementptr inbounds i8, ptr %2, i64 4, !dbg !68
  %18 = load float, ptr %17, align 4, !dbg !69, !tbaa !63
  %19 = fadd float %18, %16, !dbg !69
  store float %19, ptr %17, align 4, !dbg !69, !tbaa !63
  br label %26, !dbg !70

20:                                               ; preds = %3
  %21 = getelementptr inbounds i8, ptr %1, i64 4, !dbg !71
  %22 = load float, ptr %21, align 4, !dbg !71, !tbaa !66
  %23 = tail call float @llvm.log2.f32(float %22), !dbg !72
  %24 = load float, ptr %2, align 8, !dbg !73, !tbaa !26
  %25 = fsub float %24, %23, !dbg !73
  store float %25, ptr %2, align 8, !dbg !73, !tbaa !63
  br label %26, !dbg !74

26:                                               ; preds = %20, %13, %7
  %27 = getelementptr inbounds i8, ptr %1, i64 8, !dbg !75
  %28 = load i64, ptr %27, align 8, !dbg !75, !tbaa !76
  %29 = shl i64 %28, 3, !dbg !77
  %30 = xor i64 %29, %5, !dbg !78
  %31 = getelementptr inbounds i8, ptr %2, i64 8, !dbg !79
  %32 = load i64, ptr %31, align 8, !dbg !80, !tbaa !81
  %33 = or i64 %30, %32, !dbg !80
  store i64 %33, ptr %31, align 8, !dbg !80, !tbaa !81
  ret void, !dbg !83
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.exp.f32(float) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.log2.f32(float) #1

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack #dbg_value(ptr %0, !41, !DIExpression(), !44)
    #dbg_value(ptr %1, !42, !DIExpression(), !44)
    #dbg_value(ptr %2, !43, !DIE-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.dbg.cu = !{!0}
!llvm.linker.options = !{}
!llvm.module.flags = !{!2, !3, !4, !5, !6, !7, !8}
!llvm.ident = !{!9}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "b.cc", directory: ".", checksumkind: CSK_MD5, checksum: "3691fe72389938914354e11c14fcb66e")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 8, !"PIC Level", i88 2}
!6 = !{i32 7, !"PIE Level", i32 2}
!7 = !{i32 7, !"uwtable", i32 2}
!8 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
!9 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!10 = distinct !DISubprogram(name: "pair", linkageName: "_Z4pairRK1IRK1JR1F", scope: !11, file: !11, line: 6, type: !12, scopeLine: 6, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !40)
!11 = !DIFile(filename: "b.cc", directory: ".", checksumkind: CSK_MD5, checksum: "3691fe72389938914354e11c14fcb66e")
!12 = !DISubroutineType(types: !13)
!13 = !{null, !14, !26, !32}
!14 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !15, size: 64)
!15 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !16)
!16 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "I", file: !11, line: 3, size: 128, flags: DIFlagTypePassByValue, elements: !17, identifier: "_ZTS1I")
!17 = !{!18, !24}
!18 = !DIDerivedType(tag: DW_TAG_member, name: "at", scope: !16, file: !11, line: 3, baseType: !19, size: 64)
!19 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "V", file: !11, line: 2, size: 64, flags: DIFlagTypePassByValue, elements: !20, identifier: "_ZTS1V")
!20 = !{!21, !23}
!21 = !DIDerivedType(tag: DW_TAG_member, name: "x", scope: !19, file: !11, line: 2, baseType: !22, size: 32)
!22 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!23 = !DIDerivedType(tag: DW_TAG_member, name: "y", scope: !19, file: !11, line: 2, baseType: !22, size: 32, offset: 32)
!24 = !DIDerivedType(tag: DW_TAG_member, name: "n", scope: !16, file: !11, line: 3, baseType: !25, size: 64, offset: 64)
!25 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!26 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !27, size: 64)
!27 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !28)
!28 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "J", file: !11, line: 4, size: 128, flags: DIFlagTypePassByValue, elements: !29, identifier: "_ZTS1J")
!29 = !{!30, !31}
!30 = !DIDerivedType(tag: DW_TAG_member, name: "at", scope: !28, file: !11, line: 4, baseType: !19, size: 64)
!31 = !DIDerivedType(tag: DW_TAG_member, name: "n", scope: !28, file: !11, line: 4, baseType: !25, size: 64, offset: 64)
!32 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !33, size: 64)
!33 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "F", file: !11, line: 5, size: 128, flags: DIFlagTypePassByValue, elements: !34, identifier: "_ZTS1F")
!34 = !{!35, !39}
!35 = !DIDerivedType(tag: DW_TAG_member, name: "sum", scope: !33, file: !11, line: 5, baseType: !36, size: 64)
!36 = !DICompositeType(tag: DW_TAG_array_type, baseType: !22, size: 64, elements: !37)
!37 = !{!38}
!38 = !DISubrange(count: 2)
!39 = !DIDerivedType(tag: DW_TAG_member, name: "bits", scope: !33, file: !11, line: 5, baseType: !25, size: 64, offset: 64)
!40 = !{!41, !42, !43}
!41 = !DILocalVariable(name: "i", arg: 1, scope: !10, file: !11, line: 6, type: !14)
!42 = !DILocalVariable(name: "j", arg: 2, scope: !10, file: !11, line: 6, type: !26)
!43 = !DILocalVariable(name: "f", arg: 3, scope: !10, file: !11, line: 6, type: !32)
!44 = !DILocation(line: 0, scope: !10)
!45 = !DILocation(line: 7, column: 13, scope: !10)
!46 = !{!47, !52, i64 8}
!47 = !{!"_ZTS1I", !48, i64 0, !52, i64 8}
!48 = !{!"_ZTS1V", !49, i64 0, !49, i64 4}
!49 = !{!"float", !50, i64 0}
!50 = !{!"omnipotent char", !51, i64 0}
!51 = !{!"Simple C++ TBAA"}
!52 = !{!"long", !50, i64 0}
!53 = !DILocation(line: 7, column: 15, scope: !10)
!54 = !DILocation(line: 7, column: 3, scope: !10)
!55 = !DILocation(line: 7, column: 47, scope: !56)
!56 = distinct !DILexicalBlock(scope: !10, file: !11, line: 7, column: 20)
!57 = !{!47, !49, i64 0}
!58 = !DILocation(line: 7, column: 56, scope: !56)
!59 = !{!60, !49, i64 0}
!60 = !{!"_ZTS1J", !48, i64 0, !52, i64 8}
!61 = !DILocation(line: 7, column: 49, scope: !56)
!62 = !DILocation(line: 7, column: 39, scope: !56)
!63 = !{!49, !49, i64 0}
!64 = !DILocation(line: 7, column: 59, scope: !56)
!65 = !DILocation(line: 7, column: 106, scope: !56)
!66 = !{!60, !49, i64 4}
!67 = !DILocation(line: 7, column: 86, scope: !56)
!68 = !DILocation(line: 7, column: 74, scope: !56)
!69 = !DILocation(line: 7, column: 83, scope: !56)
!70 = !DILocation(line: 7, column: 110, scope: !56)
!71 = !DILocation(line: 7, column: 159, scope: !56)
!72 = !DILocation(line: 7, column: 138, scope: !56)
!73 = !DILocation(line: 7, column: 135, scope: !56)
!74 = !DILocation(line: 7, column: 163, scope: !56)
!75 = !DILocation(line: 8, column: 15, scope: !10)
!76 = !{!60, !52, i64 8}
!77 = !DILocation(line: 8, column: 17, scope: !10)
!78 = !DILocation(line: 8, column: 22, scope: !10)
!79 = !DILocation(line: 8, column: 5, scope: !10)
!80 = !DILocation(line: 8, column: 10, scope: !10)
!81 = !{!82, !52, i64 8}
!82 = !{!"_ZTS1F", !50, i64 0, !52, i64 8}
!83 = !DILocation(line: 9, column: 1, scope: !10)
